/** A sentence of the server with the machine words in it set apart, as it marked them. */

export function Prose({ text }: { readonly text: string }) {
  return text.split(/(`[^`]+`)/).map((part, index) =>
    part.startsWith('`') && part.endsWith('`') ? (
      // The parts of one text never change their order.
      <code key={index} className="text-[0.93em] text-text">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  );
}
