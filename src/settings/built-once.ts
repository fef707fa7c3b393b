/** What is expensive to make and seldom needed: made when it is first asked for, and kept. */

export function builtOnce<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}
