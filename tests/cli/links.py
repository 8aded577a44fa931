"""links.py SOURCE_DIR - every link of a document that leads to a file of the tree, or to a heading, finds it"""
import glob
import os
import re
import sys


def headings(path):
    found = set()
    for line in open(path, encoding="utf-8"):
        match = re.match(r"#+ (.*)", line)
        if match:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", match.group(1).strip()).replace("`", "").lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


os.chdir(sys.argv[1])
faults = []
for document in [*glob.glob("*.md"), *glob.glob("docs/*.md"), *glob.glob("python/*.md")]:
    for target in re.findall(r"\]\(([^)\s]+)\)", open(document, encoding="utf-8").read()):
        if re.match(r"\w+:", target):
            continue
        name, _, heading = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(document), name)) if name else document
        if not os.path.exists(path) or heading and heading not in headings(path):
            faults.append(f"{document}: {target}")
sys.exit("\n".join(["links that lead nowhere:", *faults]) if faults else 0)
