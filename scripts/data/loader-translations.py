"""Writes data/loader-translations.json: what loaders, linkers, gcc and Windows say in other languages.

Reads the message catalogues of Debian's packages libc-l10n, binutils-common and gcc-12-locales, unpacked into one folder:
    apt-get download libc-l10n binutils-common gcc-12-locales && for one in *.deb; do dpkg -x $one FOLDER; done
    python3 scripts/data/loader-translations.py FOLDER
"""
import gettext
import json
import re
import sys
from pathlib import Path

LANGUAGES = "cs de es fr it ja ko pl pt_BR ru tr zh_CN zh_TW".split()
UNDEFINED = "undefined reference to `%s'"
FUNCTION = "in function `%s':"
NEEDED = "%s, needed by %s, not found (try using -rpath or -rpath-link)"
UNRECOGNISED = "file not recognized: %s"

# Catalogue -> (message as the catalogue has it, what recognisers look for). Older catalogues have %T and %B where newer have %pT and %pB.
MESSAGES = {
    "ld": [
        ("%X%P: %C: undefined reference to `%pT'\n", UNDEFINED),
        ("%X%C: undefined reference to `%T'\n", UNDEFINED),
        ("%X%B: undefined reference to `%T'\n", UNDEFINED),
        ("%P: cannot find %s: %E\n", "cannot find %s: %s"),
        ("%P: cannot find %s\n", "cannot find %s"),
        ("%pB: in function `%pT':\n", FUNCTION),
        ("%B: In function `%T':\n", FUNCTION),
        ("%P: skipping incompatible %s when searching for %s\n", "skipping incompatible %s when searching for %s"),
        ("%P: warning: %s, needed by %pB, not found (try using -rpath or -rpath-link)\n", NEEDED),
        ("%P: warning: %s, needed by %B, not found (try using -rpath or -rpath-link)\n", NEEDED),
        ("%F%P: %pB: error adding symbols: %E\n", "error adding symbols: %s"),
        ("%F%P: %pB: file not recognized: %E\n", UNRECOGNISED),
        ("%F%B: file not recognized: %E\n", UNRECOGNISED),
    ],
    "gold": [
        ("%s: %s: undefined reference to '%s'\n", "undefined reference to '%s'"),
        ("%s: %s: error: undefined reference to '%s'\n", "undefined reference to '%s'"),
    ],
    "bfd": [
        ("%pB: undefined reference to symbol '%s'", "undefined reference to symbol '%s'"),
        ("DSO missing from command line", "DSO missing from command line"),
        ("file in wrong format", "file in wrong format"),
    ],
    "gcc-12": [
        ("error: ", ": error: "),
        ("fatal error: ", ": fatal error: "),
        ("warning: ", ": warning: "),
        ("ld returned %d exit status", "ld returned %d exit status"),
    ],
    "libc": [(text, text) for text in (
        "cannot open shared object file", "No such file or directory", "symbol lookup error", "error while loading shared libraries",
        "file too short", "invalid ELF header", "cannot allocate memory in static TLS block", "wrong ELF class: ELFCLASS32",
    )],
}
PROGRAMS = {"ld": "binutils", "bfd": "binutils", "gold": "binutils", "gcc-12": "gcc", "libc": "glibc"}

# Not in these catalogues: as older releases of GNU ld print them in public logs.
OLDER = {UNDEFINED: ["undefinierter Verweis auf »%s«"], FUNCTION: ["In Funktion »%s«:"]}

WINDOWS = {
    "The specified module could not be found.": [
        "Das angegebene Modul wurde nicht gefunden.", "No se puede encontrar el módulo especificado.", "Le module spécifié est introuvable.",
        "Impossibile trovare il modulo specificato.", "指定されたモジュールが見つかりません。", "지정된 모듈을 찾을 수 없습니다.",
        "Nie można odnaleźć określonego modułu.", "Não foi possível encontrar o módulo especificado.", "Не найден указанный модуль.",
        "找不到指定的模块。", "找不到指定的模組。",
    ],
    "The specified procedure could not be found.": [
        "Die angegebene Prozedur wurde nicht gefunden.", "No se encontró el proceso especificado.", "La procédure spécifiée est introuvable.",
        "Impossibile trovare la procedura specificata.", "指定されたプロシージャが見つかりません。", "지정된 프로시저를 찾을 수 없습니다.",
        "Nie można odnaleźć określonej procedury.", "Não foi possível encontrar o procedimento especificado.", "Не найдена указанная процедура.",
        "找不到指定的程序。",
    ],
}

SOURCES = {
    "binutils": "message catalogues of GNU ld, gold and BFD of binutils 2.40 (Debian binutils-common 2.40-2); the German ones as older GNU ld prints them in public logs",
    "gcc": "message catalogues of GCC 12.2 (Debian gcc-12-locales 12.2.0-14)",
    "glibc": "message catalogues of glibc 2.36 (Debian libc-l10n 2.36-9)",
    "windows": "system errors 126 and 127: learn.microsoft.com/windows/win32/debug/system-error-codes--0-499- in these languages, and public logs",
}


def plain(text: str) -> str:
    """The message with one kind of placeholder, without numbers that differ."""
    return re.sub(r"%(?:pT|T|p?B|E|s|d)", "%s", text).replace("ELFCLASS32", "%s").replace("\u00a0", " ").replace("\u202f", " ").strip()


def translated(catalogue: str, text: str) -> str:
    """The translation without the program and the place that stand before it."""
    if catalogue == "gold":
        text = re.sub(r"^%s\s?[:：]\s?%s\s?[:：]\s(?:(?:errore|エラー|error):\s+)?", "", text)
    elif catalogue in ("ld", "bfd"):
        text = re.sub(r"^(?:%X|%F|%P|%C|%p?B|\s|[:：])+", "", text)
    return plain(text)


def main(folder: Path) -> None:
    rows: dict[tuple[str, str], list[str]] = {}
    for catalogue, messages in MESSAGES.items():
        for language in LANGUAGES:
            path = folder / "usr/share/locale" / language / "LC_MESSAGES" / f"{catalogue}.mo"
            if not path.exists():
                continue
            with path.open("rb") as file:
                known = gettext.GNUTranslations(file)._catalog
            for key, english in messages:
                text = known.get(key)
                # Placeholders in another order would need one.
                if not text or "%1$" in text:
                    continue
                own = translated(catalogue, text)
                if english.startswith(": "):
                    own = f": {own}"
                elif english == NEEDED:
                    # The severity before it has a row of its own.
                    own = own[own.index("%s"):]
                else:
                    english = plain(english)
                row = rows.setdefault((PROGRAMS[catalogue], english), [])
                # gold's may be ld's.
                if own.lower() != english.strip().lower() and not any(own in texts for texts in rows.values()):
                    row.append(own)
    for english, texts in OLDER.items():
        rows[("binutils", english)].extend(texts)
    rows.update({("windows", english): texts for english, texts in WINDOWS.items()})
    lines = [json.dumps({"english": english, "source": source, "translations": texts}, ensure_ascii=False) for (source, english), texts in rows.items() if texts]
    about = "What loaders, linkers, gcc and Windows say in other languages, to be read as the English; %s is what they name. Written by scripts/data/loader-translations.py."
    head = f'{{\n  "about": {json.dumps(about)},\n  "sources": {json.dumps(SOURCES, ensure_ascii=False)},\n  "messages": [\n    '
    Path(__file__).parents[2].joinpath("data/loader-translations.json").write_text(head + ",\n    ".join(lines) + "\n  ]\n}\n", encoding="utf-8")


main(Path(sys.argv[1]))
