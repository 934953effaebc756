"""Tests of the use cases of recording, over fakes of the ports."""
