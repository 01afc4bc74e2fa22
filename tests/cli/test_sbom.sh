#!/usr/bin/env bash
# The bill of materials of a build (scripts/sbom): what SPDX 2.3 requires, of all that is in it. TAP.
# program: release
# shellcheck disable=SC2154  # tap.sh has $out and $repository
. "$(dirname "$0")/tap.sh"

bill=$work/bill.json
written() { "$repository/scripts/sbom" "$STARCLOAK" >"$bill" 2>"$err"; }
check "a bill of materials is written" written

check "the document has the fields that SPDX requires" true_of "$bill" '
    .spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0" and .SPDXID == "SPDXRef-DOCUMENT" and
    (.name | length > 0) and (.documentNamespace | test("^https://[^#]+$")) and
    (.creationInfo.created | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")) and
    (.creationInfo.creators | length > 0 and all(test("^(Tool|Person|Organization): ")))'
check "and each package" true_of "$bill" '
    .packages | length > 30 and all(
        (.SPDXID | test("^SPDXRef-[A-Za-z0-9.-]+$")) and (.name | length > 0) and
        (.versionInfo | length > 0) and (.downloadLocation | test("^(https://|NOASSERTION$)")) and
        .filesAnalyzed == false and .licenseConcluded and .licenseDeclared and .copyrightText and
        (.externalRefs[0].referenceLocator | test("^pkg:(deb|npm|generic)/.+@.+")) and
        ((.checksums // []) | all(.algorithm == "SHA512" and (.checksumValue | test("^[0-9a-f]{128}$")))))'
check "no two have one name" true_of "$bill" '[.packages[].SPDXID] | length == (unique | length)'
check "relations name what is there, and leave nothing out" true_of "$bill" '
    [.packages[].SPDXID] as $all | [.relationships[].relatedSpdxElement] as $named |
    ($named | sort) == ($all | sort) and
    (.relationships | all(.spdxElementId == "SPDXRef-DOCUMENT" or .spdxElementId == "SPDXRef-starcloak-starcloak"))'
check "the program bears its version" true_of "$bill" \
    ".packages[] | select(.SPDXID == \"SPDXRef-starcloak-starcloak\") | .versionInfo == \"$("$repository/scripts/version")\""
check "what is linked is in it" true_of "$bill" '
    [.packages[].name] | contains(["libc6", "libsodium23", "libcurl4", "libssl3", "libpq5", "node-llhttp", "uplot"])'
check "and nothing that only builds or tests" true_of "$bill" '[.packages[].name] | any(test("vite|typescript|chromium|cmocka")) | not'

cp "$bill" "$work/first.json"
check "the same build has the same bill" written
check "byte for byte" cmp "$work/first.json" "$bill"
finish
