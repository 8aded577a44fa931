#!/bin/bash
# damage.sh - damage to a table or to its folder: one clear line, exit status 1, no half-written file
. "$(dirname "$0")/common.bash"
shared_tables t KQvKR KQvK KRvK
fen='1k6/1r6/2K5/Q7/8/8/8/8 w - - 0 1'
size=$(stat -c %s t/KQvKR.cltb)

# Cut short at every kind of place.
for keep in 0 1 7 100 1000 $((size / 2)) $((size - 1)); do
    mkdir -p cut
    head -c "$keep" t/KQvKR.cltb >cut/KQvKR.cltb
    expect 1 "KQvKR.cltb" "$cltb" probe --dir cut "$fen"
    expect 1 "KQvKR" "$cltb" verify KQvKR --dir cut
    expect 1 "KQvKR" "$cltb" stats KQvKR --dir cut
    expect 1 "KQvKR.cltb" "$cltb" info cut/KQvKR.cltb
done
# Too long.
{ cat t/KQvKR.cltb; echo more; } >cut/KQvKR.cltb
expect 1 "KQvKR" "$cltb" verify KQvKR --dir cut

# One flipped bit: verify finds every one, and nothing crashes.
places=30
[ -z "${CLTB_TEST_SANITIZED-}" ] || places=15
mkdir -p flip
cp t/*.cltb flip
for ((i = 0; i < places; i++)); do
    at=$((size * i / places))
    cp t/KQvKR.cltb flip/KQvKR.cltb
    flip_bit flip/KQvKR.cltb "$at"
    expect 1 "KQvKR" "$cltb" verify KQvKR --dir flip
    "$cltb" probe --dir flip "$fen" >"$out" 2>"$err"
    [ $? -le 1 ] || fail "probe with a flipped bit at $at: exit status"
done

# A file under another name, a folder in place of a file, no table at all.
cp t/KQvK.cltb flip/KQvKR.cltb
expect 1 "KQvK" "$cltb" probe --dir flip "$fen"
rm flip/KQvKR.cltb
mkdir flip/KQvKR.cltb
expect 1 "KQvKR.cltb" "$cltb" probe --dir flip "$fen"
rmdir flip/KQvKR.cltb
expect 1 "no table KQvKR.cltb" "$cltb" verify KQvKR --dir flip
expect 2 "nofile" "$cltb" info nofile
expect 1 "nofile.cltb" "$cltb" info nofile.cltb
expect 1 "/dev/null" "$cltb" info /dev/null
printf 'not a table\n' >text.cltb
expect 1 "text.cltb" "$cltb" info text.cltb

# Building where nothing can be written.
expect 1 "/proc/cltb" "$cltb" build KQvK --dir /proc/cltb
: >file
expect 1 "file" "$cltb" build KQvK --dir file
expect 1 "file/sub" "$cltb" build KQvK --dir file/sub
if ! is_root; then
    mkdir locked
    chmod 500 locked
    expect 1 "locked" "$cltb" build KQvK --dir locked
    chmod 700 locked
fi

# No such device, too little memory.
expect 1 "7" "$cltb" build KQvK --dir d --device 7
expect 1 "kB are allowed" "$cltb" build KQvKR --dir d --memory 1K
[ ! -e d ] || fail "a folder was made for nothing"
mkdir low
if (ulimit -v 200000 && "$cltb" --version) >/dev/null 2>&1; then # not under AddressSanitizer
    (
        ulimit -v 200000 # kB: five men need more
        expect 1 "memory" "$cltb" build KQRvKB --dir low --device cpu --threads 2 --quiet
        exit "$failures"
    ) || fail "ulimit -v"
    expect_clean low
fi

# A full disk.
if is_root && mkdir full && mount -t tmpfs -o size=100k none full 2>/dev/null; then
    expect 1 "full" "$cltb" build KQvKR --dir full --quiet
    expect_clean full
    [ -e full/KQvKR.cltb ] && fail "KQvKR.cltb is on the full disk"
    umount full
else
    echo "full disk: left out (cannot mount)"
fi
finish
