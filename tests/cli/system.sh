#!/bin/bash
# system.sh - limits of the process, signals, and links and pipes in place of files
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
build=("$cltb" build --device cpu --threads 2 --quiet)
expect 0 "" "${build[@]}" KRvK --dir t
expect 0 "" "${build[@]}" KQvKR --dir whole

# Exceeding a limit on the size of files is an error, as a full disk is, and does not end the program by a signal.
(ulimit -f 4 && "${build[@]}" KQvK --dir limited >"$out" 2>"$err")
[ $? = 1 ] && grep -q 'cannot write limited/KQvK.cltb.part: File too large' "$err" ||
    fail "ulimit -f: $(cat "$err")"
[ -z "$(ls limited)" ] || fail "ulimit -f leaves $(ls limited)"

# Small stacks, as docs/reliability.md promises.
(ulimit -s 256 && "${build[@]}" KPvK KNvKN --dir stack >"$out" 2>"$err" &&
    "$cltb" build 'K[a1-b2] R[h] v K[d8-e8]' --dir stack --output limits.cltb --quiet >"$out" 2>"$err") ||
    fail "ulimit -s: $(cat "$err")"

# A file with a second name is not written, because its other name may be somebody else's; nor is what is not a file.
echo mine >mine
mkdir linked
ln mine linked/.cltb.lock
expect 1 ".cltb.lock is a link, a pipe or a device and is not written" "${build[@]}" KQvK --dir linked
ln -sf ../mine linked/.cltb.lock
expect 1 ".cltb.lock is a link, a pipe or a device and is not written" "${build[@]}" KQvK --dir linked
rm linked/.cltb.lock
[ "$(cat mine)" = mine ] || fail "a file was written over by another name"
mkfifo linked/KQvK.cltb.part
expect 1 "KQvK.cltb.part is a link, a pipe or a device and is not written" timeout 20 "${build[@]}" KQvK --dir linked

# The same for files in scratch folders.
"$cltb" build KNNvK KNvKN --dir scratch --device cpu --quiet
streamed=(timeout 20 "${build[@]}" KNNvKN --dir scratch --memory 56M)
for name in .work .planes; do
    mkfifo scratch/KNNvKN.cltb$name
    expect 1 "is a link, a pipe or a device and is not written" "${streamed[@]}"
    rm scratch/KNNvKN.cltb$name || fail "what is not ours was removed"
done
# A record that claims to be as long as the numbers go is no endless loop.
printf 'cbl-work\2\0\0\0\0\0\0\0\x99\xe9\xd8\x51\x37\xdb\x46\xef>-record\0\0\0\0\0\0\0\0' >scratch/KNNvKN.cltb.work
printf '\xd8\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0M\0\0\0\0\0\0\0' >>scratch/KNNvKN.cltb.work
timeout --foreground 20 "$cltb" build KNNvKN --dir scratch --device cpu --memory 56M --events json >events &
until grep -qs '"ply"\|"end"' events || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
grep -q '"start"' events || fail "a work file of 64 bytes: $(cat events)"
kill $! 2>/dev/null
wait $!
rm -f scratch/KNNvKN.cltb.{work,planes}
ln -s "$tmp/mine" scratch/KNNvKN.cltb.planes
expect 1 "scratch/KNNvKN.cltb.planes is a link, a pipe or a device and is not written" "${streamed[@]}"
[ "$(cat mine)" = mine ] && [ -L scratch/KNNvKN.cltb.planes ] || fail "a file was written over through a link"

# An XML file names a file in the folder of tables, not a path.
for name in ../out.cltb /tmp/out.cltb sub/out.cltb; do
    cat >spec.xml <<END
<tablebase>
  <piece color="white" type="king" location="a1-b2"/>
  <piece color="white" type="rook" location="h"/>
  <piece color="black" type="king" location="d8-e8"/>
  <output filename="$name"/>
</tablebase>
END
    expect 2 "an output is a file in the folder of tables; --output takes paths" "${build[@]}" --spec spec.xml --dir t
    [ ! -e "t/$name" ] && [ ! -e "$name" ] || fail "$name was written"
done

# A container's memory limit counts like the machine's memory: a build that needs more fails before any work. Making a
# container requires rights that not everybody has. With AddressSanitizer the program itself takes 30 MB.
group=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
[ -d $group ] || { group=/sys/fs/cgroup limit=memory.max; }
group=$group/cltb-test-$$
# shellcheck disable=SC2016 # the inner shell's own
contained=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
if mkdir "$group" 2>/dev/null; then
    if { echo 40M >"$group/$limit" && "${contained[@]}" true; } 2>/dev/null; then
        expect 1 "of memory, 39.3 MB are allowed" "${contained[@]}" "${build[@]}" KQvKR KRPvK --dir contained
        [ ! -e contained/KQvK.cltb ] || fail "a build began that is too large for its container"
    fi
    rmdir "$group"
fi

# SIGHUP ends a build as Ctrl-C does; under nohup it is ignored.
for signal in HUP TERM; do
    "$cltb" build --men 4 --dir "by-$signal" --device cpu --verbose >"$out" 2>"$signal" &
    until grep -qs 'ply 3' "$signal" || ! kill -0 $! 2>/dev/null; do :; done
    kill -$signal $! 2>/dev/null
    wait $!
    status=$?
    [ $status = 130 ] && [ ! -e "by-$signal/.cltb.lock" ] || fail "SIG$signal: exit status $status"
done
(trap '' HUP && exec "${build[@]}" KQvKR --dir nohup >"$out" 2>"$err") &
sleep 0.05
kill -HUP $!
wait $! || fail "an ignored SIGHUP ended the build: $(cat "$err")"
cmp nohup/KQvKR.cltb whole/KQvKR.cltb || fail "other bytes under nohup"
finish
