/** The TeX commands that are one character, by what MathML makes of it. */

type Table = ReadonlyMap<string, string>;

/** `alpha α beta β …` */
const tableOf = (...lists: readonly string[]): Table => {
  const words = lists.join(' ').split(' ');
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])));
};

/** Letters and other names: `mi`. */
export const identifiers = tableOf(
  'alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ varkappa ϰ',
  'lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ',
  'chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω',
  'infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ beth ℶ wp ℘ emptyset ∅ varnothing ∅ angle ∠ top ⊤ bot ⊥',
  'imath ı jmath ȷ degree ° circ ∘ square □ blacksquare ■ Box □ diamond ⋄ star ⋆ clubsuit ♣ spadesuit ♠ % % # # & & $ $',
  '_ _ dagger † ddagger ‡ S § copyright © pounds £ checkmark ✓ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯',
  'forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ prime ′ complement ∁ triangle △ triangledown ▽ therefore ∴ because ∵ QED ∎',
);

/** Relations, arrows and binary operators: `mo`. */
export const operators = tableOf(
  'times × div ÷ pm ± mp ∓ cdot ⋅ ast ∗ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ setminus ∖ wr ≀ cap ∩ cup ∪',
  'sqcap ⊓ sqcup ⊔ uplus ⊎ wedge ∧ land ∧ vee ∨ lor ∨ le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ equiv ≡',
  'approx ≈ approxeq ≊ sim ∼ simeq ≃ cong ≅ propto ∝ asymp ≍ doteq ≐ coloneqq ≔ ll ≪ gg ≫ prec ≺ preceq ⪯ succ ≻ succeq ⪰',
  'in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ supsetneq ⊋ sqsubseteq ⊑ sqsupseteq ⊒ mid ∣ nmid ∤',
  'parallel ∥ nparallel ∦ perp ⟂ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ to → rightarrow → leftarrow ← gets ← leftrightarrow ↔',
  'Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ longrightarrow ⟶ longleftarrow ⟵',
  'Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺ mapsto ↦ longmapsto ⟼ uparrow ↑ downarrow ↓ updownarrow ↕',
  'Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ nwarrow ↖ swarrow ↙ hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀',
  'rightleftharpoons ⇌ leadsto ⇝ trianglelefteq ⊴ trianglerighteq ⊵ lhd ⊲ rhd ⊳ bowtie ⋈ colon : lt < gt > backslash \\',
);

/** Those whose limits stand above and below where there is room. */
export const largeOperators = tableOf(
  'sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆',
);

/** Integrals keep their limits at the side. */
export const integrals = tableOf('int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯');

export const fences = tableOf(
  '{ { } } | ‖ lbrace { rbrace } lbrack [ rbrack ] langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert |',
  'lvert | rvert | Vert ‖ lVert ‖ rVert ‖ lgroup ⟮ rgroup ⟯ ulcorner ⌜ urcorner ⌝',
);

/** Written upright, with a space after them. */
export const functionNames: ReadonlySet<string> = new Set(
  (
    'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp det dim ker hom deg arg gcd lcm Pr ' +
    'min max sup inf lim limsup liminf argmin argmax'
  ).split(' '),
);

/** Of these what is below stands under the name. */
export const limitNames: ReadonlySet<string> = new Set(
  'lim limsup liminf min max sup inf det gcd Pr argmin argmax'.split(' '),
);

/** Over what they belong to; true where they stretch with it. */
export const accents: ReadonlyMap<string, readonly [mark: string, stretches: boolean]> = new Map([
  ['hat', ['^', false]],
  ['widehat', ['^', true]],
  ['check', ['ˇ', false]],
  ['tilde', ['~', false]],
  ['widetilde', ['~', true]],
  ['bar', ['¯', false]],
  ['overline', ['¯', true]],
  ['vec', ['→', false]],
  ['overrightarrow', ['→', true]],
  ['overleftarrow', ['←', true]],
  ['dot', ['˙', false]],
  ['ddot', ['¨', false]],
  ['acute', ['´', false]],
  ['grave', ['`', false]],
  ['breve', ['˘', false]],
  ['mathring', ['˚', false]],
  ['overbrace', ['⏞', true]],
]);

export const underMarks: ReadonlyMap<string, string> = new Map([
  ['underline', '_'],
  ['underbrace', '⏟'],
]);

/** In em. */
export const spaces: ReadonlyMap<string, number> = new Map([
  [',', 0.167],
  [':', 0.222],
  ['>', 0.222],
  [';', 0.278],
  ['!', -0.167],
  [' ', 0.25],
  ['\n', 0.25],
  ['quad', 1],
  ['qquad', 2],
  ['enspace', 0.5],
  ['thinspace', 0.167],
]);

interface Alphabet {
  /** Where A, a and 0 begin; the rest follows. */
  readonly upper: number;
  readonly lower: number;
  readonly digits?: number;
  /** Letters that were encoded before the others. */
  readonly earlier?: Readonly<Record<string, string>>;
}

const alphabets: Readonly<Record<string, Alphabet>> = {
  mathbf: { upper: 0x1d400, lower: 0x1d41a, digits: 0x1d7ce },
  boldsymbol: { upper: 0x1d468, lower: 0x1d482, digits: 0x1d7ce },
  mathcal: {
    upper: 0x1d49c,
    lower: 0x1d4b6,
    earlier: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  },
  mathfrak: { upper: 0x1d504, lower: 0x1d51e, earlier: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' } },
  mathbb: {
    upper: 0x1d538,
    lower: 0x1d552,
    digits: 0x1d7d8,
    earlier: { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
  },
  mathsf: { upper: 0x1d5a0, lower: 0x1d5ba, digits: 0x1d7e2 },
  mathtt: { upper: 0x1d670, lower: 0x1d68a, digits: 0x1d7f6 },
};

const sameAs: Readonly<Record<string, string>> = { bm: 'boldsymbol', mathscr: 'mathcal', Bbb: 'mathbb' };

export const isAlphabet = (command: string): boolean => (sameAs[command] ?? command) in alphabets;

/** The letters in another alphabet; what has no letter there stays as it is. */
export function inAlphabet(text: string, command: string): string {
  const { upper, lower, digits, earlier = {} } = alphabets[sameAs[command] ?? command] ?? { upper: 0, lower: 0 };
  const from = (start: number | undefined, letter: string, first: string) =>
    start === undefined ? letter : String.fromCodePoint(start + letter.charCodeAt(0) - first.charCodeAt(0));
  return text.replace(/[A-Za-z0-9]/g, (letter) => {
    if (Object.hasOwn(earlier, letter)) return earlier[letter] ?? letter;
    if (letter >= 'a') return from(lower, letter, 'a');
    return letter >= 'A' ? from(upper, letter, 'A') : from(digits, letter, '0');
  });
}
