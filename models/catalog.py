"""The voices there are: name, language, licence and where each one's weights come from.

Data only; knows no engine and loads nothing.
"""

from __future__ import annotations

from pipeline.speech import Voice

HEART_SHA256 = "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8"
"""Of `hibari.onnx` in hibari-tts 0.2.1; a later wheel records its own, which is what loading checks."""

HEART = Voice(
    name="heart",
    language="en-US",
    description="American English, female; a 6.2 M parameter student of Kokoro-82M's af_heart",
    licence="Apache-2.0",
    source=f"hibari.onnx in the wheel hibari-tts, sha256 {HEART_SHA256}",
)

VOICES = (HEART,)
"""Every voice that can be loaded, the default first."""
