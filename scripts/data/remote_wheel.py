"""A wheel on a package index, read by HTTP ranges: its directory, whole members, and members until enough was seen."""
import http.client
import json
import re
import struct
import time
import urllib.parse
import urllib.request
import zlib

# Which Python's wheel stands for a release: the C++ libraries are the same in all but the few bytes of libtorch_python.
PYTHONS = ["cp311", "cp310", "cp39", "cp38", "cp37", "cp36"]
PIECE = 1 << 20


def files_of(project: str, index: str) -> list[dict]:
    """The files of a project as the index lists them (PEP 691)."""
    request = urllib.request.Request(f"{index.rstrip('/')}/{project}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        files = json.load(answer)["files"]
    return [{**one, "url": urllib.parse.urljoin(request.full_url, one["url"])} for one in files]


def torch_wheels(files: list[dict]) -> dict[str, dict]:
    """Of each public version the wheel for Linux x86_64 that an installer takes: {"2.8.0": file}."""
    best: dict[str, tuple] = {}
    for one in files:
        match = re.fullmatch(r"torch-(\d+\.\d+\.\d+)(?:-(\d+))?-(cp\d+)-\3m?-(manylinux\w*x86_64|linux_x86_64)\.whl", one["filename"])
        if match is None or match[3] not in PYTHONS or one.get("yanked"):
            continue
        rank = (-PYTHONS.index(match[3]), int(match[2] or 0))
        if match[1] not in best or rank > best[match[1]][0]:
            best[match[1]] = (rank, one)
    return {version: one for version, (_, one) in best.items()}


class RemoteFile:
    """One file behind one kept connection, read by absolute ranges."""

    def __init__(self, url: str):
        self.parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPSConnection(self.parts.netloc, timeout=180)
        self.read_bytes = 0
        self.size = self._request(0, 1)[1]

    def _request(self, start: int, end: int) -> tuple[bytes, int]:
        for attempt in range(6):
            try:
                self.connection.request("GET", self.parts.path, headers={"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"})
                answer = self.connection.getresponse()
                if answer.status in (429, 502, 503, 504):
                    answer.read()
                    raise OSError(f"status {answer.status}")
                if answer.status != 206:
                    raise ValueError(f"{self.parts.path}: ranges are not served (status {answer.status})")
                data = answer.read()
                if len(data) != end - start:
                    raise OSError("short answer")
                self.read_bytes += len(data)
                return data, int(answer.headers["Content-Range"].rpartition("/")[2])
            except (OSError, http.client.HTTPException):
                if attempt == 5:
                    raise
                self.connection.close()
                time.sleep(2 ** attempt)
        raise AssertionError

    def read(self, start: int, end: int) -> bytes:
        return self._request(start, min(end, self.size))[0]


class Member:
    def __init__(self, name: str, method: int, compressed: int, size: int, local: int):
        self.name, self.method, self.compressed, self.size, self.local = name, method, compressed, size, local


class RemoteWheel:
    def __init__(self, url: str):
        self.file = RemoteFile(url)
        self.members = {one.name: one for one in self._directory()}

    def _directory(self):
        tail_start = max(0, self.file.size - 65_557)
        tail = self.file.read(tail_start, self.file.size)
        end = tail.rindex(b"PK\5\6")
        size, offset = struct.unpack_from("<II", tail, end + 12)
        if 0xFFFFFFFF in (size, offset):
            record = tail.rindex(b"PK\6\6")
            size, offset = struct.unpack_from("<QQ", tail, record + 40)
        data = self.file.read(offset, offset + size)
        at = 0
        while data[at:at + 4] == b"PK\1\2":
            method, = struct.unpack_from("<H", data, at + 10)
            compressed, plain, name_length, extra_length, comment = struct.unpack_from("<IIHHH", data, at + 20)
            local, = struct.unpack_from("<I", data, at + 42)
            name = data[at + 46:at + 46 + name_length].decode()
            extra = data[at + 46 + name_length:at + 46 + name_length + extra_length]
            while len(extra) >= 4:
                kind, length = struct.unpack_from("<HH", extra)
                if kind == 1:
                    wide = list(struct.unpack_from(f"<{length // 8}Q", extra, 4))
                    plain = wide.pop(0) if plain == 0xFFFFFFFF else plain
                    compressed = wide.pop(0) if compressed == 0xFFFFFFFF else compressed
                    local = wide.pop(0) if local == 0xFFFFFFFF else local
                extra = extra[4 + length:]
            yield Member(name, method, compressed, plain, local)
            at += 46 + name_length + extra_length + comment

    def _start(self, member: Member) -> int:
        header = self.file.read(member.local, member.local + 30)
        name_length, extra_length = struct.unpack_from("<HH", header, 26)
        return member.local + 30 + name_length + extra_length

    def stream(self, member: Member):
        """The member's plain bytes, piece by piece; stop iterating and no more is fetched."""
        at = self._start(member)
        end = at + member.compressed
        inflate = zlib.decompressobj(-15)
        piece = PIECE // 2
        while at < end:
            data = self.file.read(at, min(at + piece, end))
            at += len(data)
            piece = min(piece * 2, 8 * PIECE)
            yield inflate.decompress(data) if member.method == 8 else data

    def read(self, name: str) -> bytes:
        return b"".join(self.stream(self.members[name]))

    def read_many(self, names: list[str], gap: int = 2 * PIECE):
        """Many small members, neighbours in one request: (name, bytes)."""
        members = sorted((self.members[name] for name in names), key=lambda one: one.local)
        starts = sorted(one.local for one in self.members.values())
        after = {start: following for start, following in zip(starts, [*starts[1:], self.file.size])}
        while members:
            run = [members.pop(0)]
            while members and members[0].local - after[run[-1].local] < gap and members[0].local - run[0].local < 32 * PIECE:
                run.append(members.pop(0))
            base = run[0].local
            last = run[-1]
            data = self.file.read(base, min(after[last.local], last.local + last.compressed + 70_000))
            for one in run:
                at = one.local - base
                name_length, extra_length = struct.unpack_from("<HH", data, at + 26)
                body = data[at + 30 + name_length + extra_length:][:one.compressed]
                yield one.name, zlib.decompress(body, -15) if one.method == 8 else body
