#!/bin/bash
source ./stock.sh

# Adds an item.
add() {
  echo "$1"
}

function main {
  add 1
}

main "$@"
