#!/usr/bin/env bash
# package.sh - builds the Debian packages and tries them
#
#     tools/package.sh               puts them into build/packages
#     tools/package.sh --chroot      also tries them in a minimal Debian, which shows whether they depend on all they
#                                    need (mmdebstrap, the network, and root or user namespaces)
#
# Takes the last commit and builds all packages from it in a temporary folder; lintian looks for
# errors; the packages are installed in an empty root, and debian/tests/installed runs with what is there. Exit status
# 77: a tool that this needs is not here.
#
# The source is of the format "3.0 (quilt)": the tarball of cltb itself has no debian/, so that other distributions can
# take it, too, and a fault of the packages alone needs no new version of cltb.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/deps.sh

chroot=0
[ "$*" != --chroot ] || chroot=1
[ $# = $chroot ] || die "usage: tools/package.sh [--chroot]"
folder=build/packages
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || { say "no $tool (apt-get install dpkg-dev debhelper lintian)"; exit 77; }
done
git rev-parse --git-dir >/dev/null 2>&1 || { say "not a git checkout"; exit 77; }
[ -z "$(git status --porcelain)" ] || say "taking the last commit, without the changes since"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/cltb
mkdir "$source"
git archive HEAD | tar -x -C "$source"
version=$(sed -n 's/^project(cltb VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
git archive --prefix="cltb-$version/" HEAD -- . ':!debian' | gzip -n >"$work/cltb_$version.orig.tar.gz"
export DEB_BUILD_PROFILES=nocheck
export DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-$(nproc)} ${DEB_BUILD_OPTIONS-}"
missing=$(dpkg-checkbuilddeps "$source/debian/control" 2>&1) || { say "${missing#*: error: }"; exit 77; }
[[ $(cd "$source" && dpkg-parsechangelog -S Version) = "$version"-* ]] ||
    die "debian/changelog is not about version $version of CMakeLists.txt"

# quietly LOG COMMAND...: its output only if it fails
quietly() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; die "$1 failed"; }
}

say "building the packages of cltb $version"
(cd "$source" && quietly "$work/build.log" dpkg-buildpackage --no-sign)
say "lintian"
# That tag is about uploads to Debian.
lintian --fail-on error --allow-root --suppress-tags initial-upload-closes-no-bugs "$work"/*.changes ||
    die "lintian has found errors"

say "installing in an empty root"
packages=("$work"/cltb_*.deb "$work"/libcltb{0,-dev,-fathom0,-fathom-dev}_*.deb)
root=$work/root
mkdir -p "$root/var/lib/dpkg"
touch "$root/var/lib/dpkg/status"
# What they depend on is here, not there. Without root's rights the owners of files cannot be set.
as_root=()
[ "$(id -u)" = 0 ] || as_root=(fakeroot)
quietly "$work/dpkg.log" "${as_root[@]}" dpkg --root="$root" --force-depends --force-script-chrootless \
    --log=/dev/null --install "${packages[@]}"
(cd "$source" && debian/tests/installed "$root")

if [ $chroot = 1 ]; then
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    say "installing in a minimal Debian ($suite)"
    mkdir -p "$work/try/tests"
    cp -r "$source/debian" "$source/docs" "${packages[@]}" "$work/try"
    cp -r "$source/tests/fathom" "$work/try/tests"
    # shellcheck disable=SC2016 # $1 is for the hook: the folder of that system
    quietly "$work/chroot.log" mmdebstrap --variant=minbase --include=gcc,libc6-dev,pkgconf \
        --customize-hook="copy-in $work/try /root" \
        --customize-hook='chroot "$1" sh -ec "cd /root/try; apt-get update; apt-get install -y ./*.deb"' \
        --customize-hook='chroot "$1" sh -ec "cd /root/try; debian/tests/installed"' "$suite" /dev/null
fi

mkdir -p "$folder"
rm -f "$folder"/*cltb*
cp "$work"/*cltb*.{deb,dsc,tar.*,changes,buildinfo} "$folder"
say "packages in $folder"
