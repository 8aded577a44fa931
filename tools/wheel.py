#!/usr/bin/env python3
"""wheel.py - zip files with the same bytes for the same contents; a wheel of the Python module with the library inside

    wheel.py SOURCE LIBRARY PLATFORM FOLDER [LICENCE...]   FOLDER/cltb-VERSION-py3-none-PLATFORM.whl, and prints its path
    wheel.py --zip PARENT NAME FILE                        the zip FILE of the folder PARENT/NAME

Members are sorted and have the time SOURCE_DATE_EPOCH. It needs nothing but Python's own library, so that a release can
be made without a network.
"""
import base64
import hashlib
import os
import re
import sys
import time
import zipfile
from pathlib import Path

WHEN = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]


def write_zip(path, members):
    """members: names and bytes"""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, WHEN)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            archive.writestr(info, data, compresslevel=9)


def folder_members(parent, name):
    return [(str(file.relative_to(parent)), file.read_bytes())
            for file in sorted(Path(parent, name).rglob("*")) if file.is_file()]


def wheel(source, library, platform, folder, licences):
    python = Path(source, "python")
    project = (python / "pyproject.toml").read_text()
    fields = dict(re.findall(r'^(name|version|description|requires-python) = "(.*)"$', project, re.M))
    extras = re.findall(r'^(\w+) = \["\1"\]$', project, re.M)
    info = f"cltb-{fields['version']}.dist-info"
    tag = f"py3-none-{platform}"
    metadata = (f"Metadata-Version: 2.1\nName: {fields['name']}\nVersion: {fields['version']}\n"
                f"Summary: {fields['description']}\nLicense: BSD-2-Clause\n"
                f"Requires-Python: {fields['requires-python']}\n"
                + "".join(f'Provides-Extra: {extra}\nRequires-Dist: {extra}; extra == "{extra}"\n' for extra in extras)
                + "Description-Content-Type: text/markdown\n\n"
                + (python / "README.md").read_text())
    members = [(str(file.relative_to(python)), file.read_bytes())
               for file in sorted((python / "cltb").rglob("*")) if file.suffix in (".py", ".typed")]
    members.append(("cltb/libcltb.so", Path(library).read_bytes()))
    members += [(f"{info}/licenses/{file.name}", file.read_bytes())
                for file in (Path(source, "LICENSE"), *map(Path, licences))]
    members.append((f"{info}/METADATA", metadata.encode()))
    members.append((f"{info}/WHEEL",
                    f"Wheel-Version: 1.0\nGenerator: cltb\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()))
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},"
              f"{len(data)}" for name, data in members]
    members.append((f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode()))
    path = Path(folder, f"cltb-{fields['version']}-{tag}.whl")
    write_zip(path, members)
    return path


def main(arguments):
    if arguments[:1] == ["--zip"] and len(arguments) == 4:
        write_zip(arguments[3], folder_members(*arguments[1:3]))
    elif len(arguments) >= 4 and arguments[0] != "--zip":
        print(wheel(*arguments[:4], arguments[4:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
