"""How checkpoints come to be: self-play, learning, export to ONNX (command `train`)."""
