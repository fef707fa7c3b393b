/** Types for scripts that are bundled as files of their own and named by their address. */

declare module '*.worklet.js' {
  const address: string;
  export default address;
}
