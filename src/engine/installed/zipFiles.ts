import { ArchiveError, locateData, localHeaderLength, MemberFiles, readDirectory, requireReadable, unpackSync } from "../binaries/archive/index.ts";
import type { Member } from "../binaries/archive/index.ts";
import type { Files } from "../model/index.ts";

/** libtorch_python is 34 MB. */
const maximumUnpacked = 128 * 1024 * 1024;

/**
 * The files inside a local zip archive, shown below its own path, synchronously: an editor's check of a wheel.
 * Unpacks the members asked for.
 */
export class ZipFiles extends MemberFiles {
  readonly #files: Files;
  readonly #archive: string;
  readonly #size: number;
  readonly #members: ReadonlyMap<string, Member>;
  readonly #unpacked = new Map<string, Uint8Array | undefined>();

  private constructor(files: Files, archive: string, size: number, members: ReadonlyMap<string, Member>) {
    super(archive, members);
    this.#files = files;
    this.#archive = archive;
    this.#size = size;
    this.#members = members;
  }

  /** Opens an archive; a string says in a sentence why it cannot be read. */
  static open(archive: string, files: Files): ZipFiles | string {
    const status = files.status(archive);
    if (status?.kind !== "file") {
      return `${archive} is not a file that can be read.`;
    }
    try {
      const reading = readDirectory(archive, status.size);
      let step = reading.next();
      while (step.done !== true) {
        const { offset, length } = step.value;
        const bytes = files.readBytes(archive, offset, length);
        if (bytes === undefined || bytes.length < length) {
          return `${archive} cannot be read.`;
        }
        step = reading.next(bytes);
      }
      return new ZipFiles(files, archive, status.size, step.value);
    } catch (error) {
      if (error instanceof ArchiveError) {
        return error.message;
      }
      throw error;
    }
  }

  protected override bytesOf(name: string): Uint8Array | undefined {
    const member = this.#members.get(name);
    if (member === undefined || member.size > maximumUnpacked || member.compressedSize > maximumUnpacked) {
      return undefined;
    }
    if (!this.#unpacked.has(name)) {
      this.#unpacked.set(name, this.#unpack(member));
    }
    return this.#unpacked.get(name);
  }

  #unpack(member: Member): Uint8Array | undefined {
    try {
      requireReadable(this.#archive, member);
      const header = this.#files.readBytes(this.#archive, member.headerOffset, localHeaderLength(member, this.#size));
      const start = header === undefined ? undefined : locateData(this.#archive, this.#size, member, header);
      const packed = start === undefined ? undefined : this.#files.readBytes(this.#archive, start, member.compressedSize);
      return packed === undefined || packed.length < member.compressedSize ? undefined : unpackSync(this.#archive, member, packed);
    } catch (error) {
      if (error instanceof ArchiveError) {
        return undefined;
      }
      throw error;
    }
  }
}
