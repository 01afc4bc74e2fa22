#!/usr/bin/env bash
# The Debian packages (make deb): without a complaint of lintian, and installed into a fresh root of
# Debian 12, where README's commands lead to an exact answer. TAP.
# shellcheck disable=SC2154  # tap.sh has $work and $repository
. "$(dirname "$0")/../cli/tap.sh"

debs=$repository/build/deb
package() { echo "$debs/$1"_[0-9]*.deb; }

clean_for_lintian() {
    lintian --allow-root --fail-on error,warning --display-info "$debs"/*.changes >"$out" 2>"$err"
    status=$?
    return $status
}

# The root has what the packages need in apt's store, not installed: a network is not part of the time.
root=$work/root
make_root() {
    "$repository/scripts/debian_root" "$root" --variant=apt \
        --customize-hook="mkdir -p \"\$1/packages\" && cp $(package starcloak) \"\$1/packages\"" \
        --customize-hook="cp $repository/tests/packages/first_answer $repository/README.md \"\$1/packages\"" \
        --customize-hook='chroot "$1" sh -c "apt-get --yes --download-only --no-install-recommends install /packages/starcloak_*.deb && cp /var/cache/apt/archives/*.deb /packages"' \
        >"$out" 2>"$err"
}

# A network of its own with a loopback alone, and processes that end with the first.
inside() {
    unshare --net --pid --fork --mount bash -c 'ip link set lo up && mount -t proc proc "$1/proc" &&
        exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${@:2}"' - "$root" "$@"
}

seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

installs() { inside sh -c 'dpkg --install /packages/*.deb' >"$out" 2>"$err"; }
answers() { inside /packages/first_answer /packages/README.md >"$out" 2>"$err"; }
nothing_runs() { ! grep -qE 'Created symlink|enabled' "$out"; }
purged() {
    inside dpkg --purge starcloak >"$out" 2>"$err" &&
        ! find "$root" -xdev -path "$root/packages" -prune -o -name '*starcloak*' -print | grep .
}

if ! [ -e "$(package starcloak)" ]; then
    skip "packages" "none in build/deb; make deb"
    finish
fi
check "lintian finds neither an error nor a warning" clean_for_lintian
if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    skip "a fresh root of Debian" "needs root"
    finish
fi
check "there is a fresh root of Debian 12 without StarCloak" make_root
begun=$EPOCHREALTIME
check "dpkg -i installs the package and what it needs" installs
check "it enables no unit" nothing_runs
echo "# installed after $(seconds_since "$begun") s"
check "README's commands give an exact answer there" answers
echo "# from dpkg -i to the first exact answer: $(seconds_since "$begun") s"
sed -n 's/^hidden/# hidden/p' "$out"
check "purged, it leaves nothing behind" purged
finish
