#!/bin/sh
run() {
  echo x
}
run
