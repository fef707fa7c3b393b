/** Runs beside the page, where sound is worked on in time: hands the microphone's samples over in pieces of a twentieth of a second. */

const piecesPerSecond = 20;

class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(Math.round(sampleRate / piecesPerSecond));
    this.filled = 0;
  }

  process([input]) {
    const samples = input?.[0];
    if (samples === undefined) return true;
    for (const sample of samples) {
      this.piece[this.filled++] = sample;
      if (this.filled < this.piece.length) continue;
      this.port.postMessage(this.piece.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor('capture', Capture);
