"""REST, by the four names of this layer: races (attempts and replays), boards, people."""
