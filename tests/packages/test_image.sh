#!/usr/bin/env bash
# The OCI image (make image): read by tools of others, and run as an engine would run it, by an ordinary
# user, with a root that nothing can be written to. No container engine is needed. TAP.
# shellcheck disable=SC2154  # tap.sh has $work and $repository
. "$(dirname "$0")/../cli/tap.sh"

version=$("$repository/scripts/version")
folder=$repository/build/image
bundle=$work/bundle

inspected() {
    skopeo inspect "oci:$folder/layout:$version" >"$out" 2>"$err" &&
        true_of "$out" ".Os == \"linux\" and (.Layers | length) == 1 and
            .Labels[\"org.opencontainers.image.version\"] == \"$version\""
}
as_archive() { skopeo inspect --config "oci-archive:$folder/starcloak-$version.oci.tar:$version" >"$out" 2>"$err"; }
not_root() { true_of "$out" '.config.User == "65532:65532"'; }
unpacks() { umoci unpack --image "$folder/layout:$version" "$bundle" >"$out" 2>"$err"; }
no_shell() {
    [ "$(find "$bundle/rootfs/usr/bin/" "$bundle/rootfs/usr/sbin/" ! -type d)" = "$bundle/rootfs/usr/bin/starcloak" ] &&
        ! find "$bundle/rootfs" -perm /6000 -o -name '*.sh' -o -name 'dpkg' -type f | grep .
}
# Each library that is found is there because something asks for it; none is missing.
all_libraries() {
    ! chroot "$bundle/rootfs" /lib64/ld-linux-x86-64.so.2 --list /usr/bin/starcloak | tee "$out" | grep 'not found'
}
bill_of_all() {
    local bill=$bundle/rootfs/usr/share/doc/starcloak/starcloak.spdx.json
    diff <(jq -r '.packages[].name' "$bill" | sort) \
        <({ ls "$bundle/rootfs/var/lib/dpkg/status.d" && echo node-llhttp && jq -r '.packages | to_entries[] |
            select(.key != "" and (.value | (.dev or .optional | not))) | .key | ltrimstr("node_modules/")' \
            "$repository/web/package-lock.json"; } | sort) >"$out"
}

# What happens in namespaces of its own; ends with the exit status of the query.
cat >"$work/life" <<'END'
set -euo pipefail
rootfs=$1 config=$2
in_image=(chroot --userspec=65532:65532 "$rootfs" /usr/bin/starcloak)
ip link set lo up
mount --bind "$rootfs" "$rootfs"
mkdir -p "$rootfs/proc" "$rootfs/dev"
mount -t proc proc "$rootfs/proc"
mount -t tmpfs -o mode=755 tmpfs "$rootfs/dev"
for node in null urandom; do touch "$rootfs/dev/$node" && mount --bind "/dev/$node" "$rootfs/dev/$node"; done
mount --bind "$config" "$rootfs/etc/starcloak"
"${in_image[@]}" map generate --quiet --nodes 20k --seed 1 -o /etc/starcloak/city.scm
"${in_image[@]}" token key /etc/starcloak/keys
"${in_image[@]}" serve /etc/starcloak/city.scm --token-keys /etc/starcloak/keys --user-rate 0 --address-rate 0 \
    --address-connections 0 --admin listen --print-config >"$config/starcloak.ini"
mount -o remount,bind,ro "$rootfs/etc/starcloak"
mount -o remount,bind,ro "$rootfs"
! touch "$rootfs/tmp/x" 2>/dev/null || { echo "the root can be written to"; exit 1; }
"${in_image[@]}" serve --config /etc/starcloak/starcloak.ini >"$config/../serve.log" 2>&1 &
service=$!
until grep -q event=ready "$config/../serve.log"; do
    kill -0 $service || { cat "$config/../serve.log"; exit 1; }
    sleep 0.05
done
echo "user $(awk '/^Uid/ {print $2}' "$rootfs/proc/$service/status")"
curl -sSf http://127.0.0.1:8080/ | grep -q '<script' && echo "page"
"${in_image[@]}" load http://127.0.0.1:8080 /etc/starcloak/city.scm --key /etc/starcloak/keys --travellers 8000 --duration 20 >/dev/null 2>&1 &
traffic=$!
for _ in 1 2 3; do
    ! "${in_image[@]}" query http://127.0.0.1:8080 --lon -29.99 --lat 45.00 --nearest 3 \
        --token "$("${in_image[@]}" token issue --key /etc/starcloak/keys --user alice)" || break
done
kill -KILL $traffic
kill -TERM $service
wait $service && echo "ended"
END
lives() {
    mkdir "$work/config"
    chown 65532:65532 "$work/config"
    chmod 755 "$work" "$work/config" "$bundle"
    unshare --net --pid --fork --mount --kill-child bash "$work/life" "$bundle/rootfs" "$work/config" >"$out" 2>"$err"
}

[ -e "$folder/layout/index.json" ] || {
    skip "the image" "there is none; make image"
    finish
}
check "skopeo reads the layout" inspected
check "and the archive" as_archive
check "the image does not run as root" not_root
if [ "$(id -u)" -ne 0 ] || ! unshare --net true 2>/dev/null; then
    skip "running the image" "needs root"
    finish
fi
check "umoci unpacks it" unpacks
check "there is one program in it, and nothing that changes its user" no_shell
check "each library that it needs is in it" all_libraries
check "its bill of materials has all packages that are in it" bill_of_all
check "with a root that is read-only the service comes up, gives an answer and ends" lives
check "as user 65532" says "$out" "user 65532"
check "with the page" says "$out" page
check "hidden among others" says "$out" "hidden among"
check "and ends when it is told" says "$out" ended
echo "# image: $(stat -c %s "$folder/starcloak-$version.oci.tar") bytes; unpacked $(du -sb "$bundle/rootfs" | cut -f 1)"
finish
