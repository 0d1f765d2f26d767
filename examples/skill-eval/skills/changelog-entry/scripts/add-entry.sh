#!/bin/sh
# Adds an entry below "## Unreleased" of CHANGELOG.md: add-entry.sh KIND TEXT ISSUE
set -eu
ENTRY="- $1: $2 (#$3)"
export ENTRY
awk '{ print } /^## Unreleased/ { getline; print; print ENVIRON["ENTRY"] }' CHANGELOG.md >CHANGELOG.new
mv CHANGELOG.new CHANGELOG.md
