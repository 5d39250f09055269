/** Bytes that are read by ranges: a file, or a resource on a server. */
export interface ByteSource {
  /** The path or address, for messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Changes when the content does: size and time of a file, ETag of a resource. */
  readonly identity: string;
  /** Bytes fetched so far. */
  readonly bytesRead: number;
  /** Exactly `length` bytes. Throws ByteSourceError. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface Member {
  readonly name: string;
  /** Bytes unpacked. */
  readonly size: number;
  readonly compressedSize: number;
  /** 0 stored, 8 deflate. */
  readonly method: number;
  readonly crc32: number;
  readonly headerOffset: number;
  readonly encrypted: boolean;
  /** File type and permissions as Unix keeps them (st_mode), where the writer was a Unix. */
  readonly mode?: number;
}

/** A zip archive whose directory was read and checked. */
export interface Archive {
  readonly source: ByteSource;
  readonly members: ReadonlyMap<string, Member>;
  /** The whole member, checked against size and CRC. Throws ArchiveError above `limit` bytes. */
  read(member: Member, limit: number): Promise<Uint8Array>;
  /** The first `length` unpacked bytes, or all when it has fewer, without reading the rest of it. */
  head(member: Member, length: number): Promise<Uint8Array>;
  /** The unpacked bytes piece by piece; leaving the loop stops the reading. */
  stream(member: Member): AsyncIterable<Uint8Array>;
}
