"""Tests of what a recording is made with: app process, recorder, browser."""
