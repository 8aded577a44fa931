#!/usr/bin/env python3
"""kernel_figures.py - what a compiler made of kernels, read from its output

    kernel_figures.py amdgcn FILE.s    clang's assembly
    kernel_figures.py nvidia FILE.cubin LOG    and what `ptxas -v` said
    kernel_figures.py intel  FILE.bin LOG       and what ocloc said

Prints a line of tab-separated words for each kernel: name, registers, what is spilled to memory (AMD: registers, else
bytes), bytes of stack with that, bytes of code, loads in flight. The last is the most loads that are under way at once,
in the order of the text, before an instruction waits for one of them; "-" where the output does not tell. AMD's scalar
registers, the second number, may be spilled into lanes of vector registers, which is not memory: "(24)" tells of 24.
"""

import re
import struct
import sys


def sections(path):
    """The sections of an ELF file of 64 bits: name, bytes."""
    data = open(path, "rb").read()
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + size * i) for i in range(count)]
    text = headers[names][4]
    for name, kind, _, _, at, length in headers:
        end = data.index(b"\0", text + name)
        yield data[text + name:end].decode(), b"" if kind == 8 else data[at:at + length]


# ---- AMD ----

def amdgcn_loads(lines):
    """Loads are in order: `vmcnt(N)` waits until N are left. Before gfx10 it counts stores as well."""
    under_way, most = [], 0
    for line in lines:
        word = line.split()[0] if line.split() else ""
        if re.match(r"(global|flat|buffer|scratch)_(load|store|atomic)", word):
            under_way.append("load" in word)
            most = max(most, sum(under_way))
        wait = re.search(r"vmcnt\((\d+)\)", line)
        if word == "s_waitcnt" and wait:
            left = int(wait.group(1))
            under_way = under_way[len(under_way) - left:] if left else []
    return most


def amdgcn(path):
    text = open(path).read()
    kernels = re.findall(r"^\s*\.amdhsa_kernel (\S+)", text, re.M)
    metadata = text[text.index("amdhsa.kernels:"):]
    blocks = re.split(r"^  - ", metadata, flags=re.M)[1:]
    for name in kernels:
        body = re.search(r"^%s:.*?^\.Lfunc_end.*?; codeLenInByte = (\d+)" % name, text, re.M | re.S)
        called = re.search(r"s_swappc|s_setpc", body.group(0))
        if called:
            outside = re.search(r"(\w+)@(gotpcrel|rel)32@lo", body.group(0))
            sys.exit("%s calls %s, which tools/kernel_builtins.h lacks" %
                     (name, outside.group(1) if outside else "a function"))
        block = next(b for b in blocks if re.search(r"\.name:\s+%s$" % name, b, re.M))
        fact = dict(re.findall(r"\.(\w+):\s+(\d+)$", block, re.M))
        registers = "%s + %s" % (fact["vgpr_count"], fact["sgpr_count"])
        if fact["sgpr_spill_count"] != "0":
            registers += " (%s)" % fact["sgpr_spill_count"]
        yield (name, registers, fact["vgpr_spill_count"], fact["private_segment_fixed_size"], body.group(1),
               amdgcn_loads(body.group(0).splitlines()))


# ---- NVIDIA ----

def nvidia_loads(code):
    """An instruction has 16 bytes. A load names the barrier that it raises; later ones have a mask of those that they
    wait for."""
    under_way, most = [0] * 8, 0
    for at in range(0, len(code) - 15, 16):
        low, high = struct.unpack_from("<QQ", code, at)
        control = high >> 41
        waits = control >> 11 & 63
        for barrier in range(6):
            if waits >> barrier & 1:
                under_way[barrier] = 0
        if low & 0xfff in (0x381, 0x981):  # LDG
            under_way[control >> 5 & 7] += 1
            most = max(most, sum(under_way))
    return most


def nvidia(path, log):
    code = {name[len(".text."):]: data for name, data in sections(path) if name.startswith(".text.")}
    for part in re.split(r"Compiling entry function '", open(log).read())[1:]:
        name = part[:part.index("'")]
        stack, stores, loads = re.search(r"(\d+) bytes stack frame, (\d+) .* stores, (\d+)", part).groups()
        registers = re.search(r"Used (\d+) registers", part).group(1)
        yield (name, registers, max(int(stores), int(loads)), stack, len(code[name]), nvidia_loads(code[name]))


# ---- Intel ----

def intel(path, log):
    """The section .ze_info is YAML with an entry for each kernel; the compiler warns of spills only in its log."""
    info = dict(sections(path))
    spills = dict(re.findall(r"kernel (\w+)\s+compiled .* spilled around (\d+)", open(log).read()))
    for part in re.split(r"^  - name: +", info[".ze_info"].decode(), flags=re.M)[1:]:
        name = part.split()[0].strip("'\"")
        fact = dict(re.findall(r"(\w+): +(\d+)", part))
        if "simd_size" not in fact or ".text." + name not in info:
            continue
        stack = sum(int(size) for size in re.findall(r"type: +scratch\s.*?size: +(\d+)", part, re.S))
        yield (name, "%s, %s lanes" % (fact.get("grf_count", "?"), fact["simd_size"]), spills.get(name, 0), stack,
               len(info[".text." + name]), "-")


if __name__ == "__main__":
    for row in {"amdgcn": amdgcn, "nvidia": nvidia, "intel": intel}[sys.argv[1]](*sys.argv[2:]):
        print(*row, sep="\t")
