#!/bin/sh
# Takes this machine out of its cluster. Made by kinit, run at clean-up.
set -eu
