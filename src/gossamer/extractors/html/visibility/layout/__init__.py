"""Layout as far as it can hide text: boxes, clipping, paint, occlusion."""
