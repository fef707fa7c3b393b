/** Types for files that are embedded as text, so that the executable carries its pages with it. */

declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*.txt' {
  const text: string;
  export default text;
}

declare module '*.client.js' {
  const text: string;
  export default text;
}
