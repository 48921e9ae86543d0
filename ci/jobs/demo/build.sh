#!/bin/sh
# Puts the kernel package that the file `kernel` names below $GATE_BUILD.
set -eu
read -r package version <kernel
cd "$GATE_BUILD"
if [ "$(cat unpacked 2>/dev/null)" = "$package $version" ] &&
	ls boot/vmlinuz-* >/dev/null 2>&1; then
	exit 0
fi
rm -rf boot lib usr unpacked ./*.deb
apt-get download "$package=$version"
dpkg-deb -x ./*.deb .
rm -f ./*.deb
echo "$package $version" >unpacked
