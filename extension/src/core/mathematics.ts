/** The LaTeX of docs/reference/recording.md, as a tree. */
export type Term =
  | { readonly kind: 'name' | 'number' | 'sign' | 'text' | 'function'; readonly text: string }
  | { readonly kind: 'row'; readonly items: readonly Term[] }
  | {
      readonly kind: 'apply';
      readonly name: string;
      readonly power: Term | null;
      readonly to: Term;
    }
  | { readonly kind: 'fraction'; readonly top: Term; readonly bottom: Term }
  | { readonly kind: 'root' | 'bar' | 'group'; readonly inner: Term }
  | {
      readonly kind: 'script';
      readonly base: Term;
      readonly up: Term | null;
      readonly down: Term | null;
    };

const SIGNS: Readonly<Record<string, string>> = {
  cdot: '·',
  odot: '⊙',
  times: '×',
  top: '⊤',
  sum: '∑',
  prod: '∏',
  partial: '∂',
  leq: '≤',
  le: '≤',
  geq: '≥',
  ge: '≥',
  neq: '≠',
  ne: '≠',
  infty: '∞',
  pm: '±',
  to: '→',
  in: '∈',
  lfloor: '⌊',
  rfloor: '⌋',
  lceil: '⌈',
  rceil: '⌉',
  ldots: '…',
  dots: '…',
  cdots: '⋯',
  star: '⋆',
  ast: '∗',
};
const LETTERS: Readonly<Record<string, string>> = {
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  epsilon: 'ε',
  varepsilon: 'ε',
  lambda: 'λ',
  mu: 'μ',
  pi: 'π',
  rho: 'ρ',
  sigma: 'σ',
  tau: 'τ',
  theta: 'θ',
  phi: 'φ',
  varphi: 'φ',
  omega: 'ω',
  Phi: 'Φ',
  Gamma: 'Γ',
  psi: 'ψ',
  ell: 'ℓ',
  eta: 'η',
  kappa: 'κ',
  nu: 'ν',
  xi: 'ξ',
  zeta: 'ζ',
};
const FUNCTIONS = new Set(
  (
    'sin cos tan sinh cosh tanh arcsin arccos arctan exp log ln max min argmax argmin sign det ' +
    'arg lim gcd tr'
  ).split(' '),
);
const SILENT = new Set(['left', 'right', 'quad', 'qquad', 'limits', 'displaystyle', 'big', 'Big']);

export class MathematicsError extends Error {}

function tokenize(latex: string): string[] {
  return latex.match(/\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\p{L}[\p{L}\d]*|\S/gu) ?? [];
}

class Parser {
  private at = 0;
  constructor(
    private readonly tokens: readonly string[],
    private readonly names: ReadonlySet<string>,
  ) {}

  all(): Term {
    const row = this.row(null);
    if (this.at < this.tokens.length)
      throw new MathematicsError(`Unexpected ${this.tokens[this.at]}`);
    return row;
  }

  private row(closing: string | null): Term {
    const items: Term[] = [];
    while (this.at < this.tokens.length && this.tokens[this.at] !== closing) {
      if (this.tokens[this.at] === '}') break;
      items.push(...this.scripted());
    }
    return items.length === 1 ? items[0]! : { kind: 'row', items };
  }

  private scripted(): Term[] {
    const bases = this.atoms();
    let base = bases.pop();
    if (!base) return bases;
    let [up, down]: [Term | null, Term | null] = [null, null];
    for (
      let mark = this.tokens[this.at];
      mark === '^' || mark === '_';
      mark = this.tokens[this.at]
    ) {
      this.at++;
      if (mark === '^') up = this.argument();
      else down = this.argument();
    }
    if (base.kind === 'function') base = this.applied(base.text, up, down);
    else if (up || down) base = { kind: 'script', base, up, down };
    return [...bases, base];
  }

  private applied(name: string, up: Term | null, down: Term | null): Term {
    if (down) {
      return { kind: 'script', base: { kind: 'function', text: name }, up, down };
    }
    const next = this.tokens[this.at];
    const takes = next !== undefined && !/^[=+\-,)}\]|<>&^_/]$/.test(next) && next !== '\\cdot';
    if (!takes) {
      const base: Term = { kind: 'function', text: name };
      return up ? { kind: 'script', base, up, down: null } : base;
    }
    const items = this.scripted();
    const to: Term = items.length === 1 ? items[0]! : { kind: 'row', items };
    return { kind: 'apply', name, power: up, to };
  }

  /** What follows `^`, `_`, `\frac` or `\bar`: a braced row or one token. */
  private argument(): Term {
    if (this.tokens[this.at] === '{') return this.braced();
    const items = this.atoms(true);
    return items.length === 1 ? items[0]! : { kind: 'row', items };
  }

  private braced(): Term {
    this.expect('{');
    const inner = this.row('}');
    this.expect('}');
    return inner;
  }

  private rawText(): string {
    this.expect('{');
    const words: string[] = [];
    while (this.at < this.tokens.length && this.tokens[this.at] !== '}') {
      words.push(this.tokens[this.at++]!);
    }
    this.expect('}');
    return words
      .join(' ')
      .replace(/ _ /g, '_')
      .replace(/ ([.,)])/g, '$1');
  }

  private expect(token: string): void {
    if (this.tokens[this.at] !== token) {
      throw new MathematicsError(`Expected ${token}, got ${this.tokens[this.at] ?? 'the end'}`);
    }
    this.at++;
  }

  private atoms(single = false): Term[] {
    const token = this.tokens[this.at];
    if (token === undefined) throw new MathematicsError('The formula ends too soon');
    if (token === '{') return [this.braced()];
    this.at++;
    if (token.startsWith('\\')) return this.command(token.slice(1));
    if (token === '(') return [this.parenthesis()];
    if (/^\d/.test(token)) return [{ kind: 'number', text: token }];
    if (/^\p{L}/u.test(token)) return this.letters(token, single);
    return [{ kind: 'sign', text: token === '-' ? '−' : token }];
  }

  private parenthesis(): Term {
    const inner = this.row(')');
    this.expect(')');
    return { kind: 'group', inner };
  }

  /** A run of letters is one name if the op calls an input so, otherwise a product of letters. */
  private letters(run: string, single: boolean): Term[] {
    if (this.names.has(run)) return [{ kind: 'name', text: run }];
    const letters = [...run];
    if (single && letters.length > 1) throw new MathematicsError(`Brace ${run}`);
    return letters.map((text) => ({ kind: 'name', text }));
  }

  private command(name: string): Term[] {
    if (SILENT.has(name)) return [];
    if (FUNCTIONS.has(name)) return [{ kind: 'function', text: name }];
    if (name in SIGNS) return [{ kind: 'sign', text: SIGNS[name]! }];
    if (name in LETTERS) return [{ kind: 'name', text: LETTERS[name]! }];
    if (/^\W$/.test(name)) return /^[,;:! ]$/.test(name) ? [] : [{ kind: 'sign', text: name }];
    return [this.construct(name)];
  }

  private construct(name: string): Term {
    switch (name) {
      case 'frac':
        return { kind: 'fraction', top: this.argument(), bottom: this.argument() };
      case 'sqrt':
        return { kind: 'root', inner: this.argument() };
      case 'bar':
      case 'overline':
        return { kind: 'bar', inner: this.argument() };
      case 'operatorname':
        return { kind: 'function', text: this.rawText() };
      case 'text':
      case 'mathrm':
        return { kind: 'text', text: this.rawText() };
      default:
        throw new MathematicsError(`tapelab does not draw \\${name}`);
    }
  }
}

/** Read a formula; `names` are the letters that the op gives to its inputs and its output. */
export function parseFormula(latex: string, names: readonly string[] = []): Term {
  return new Parser(tokenize(latex), new Set(names)).all();
}

/** The two sides of an equation; the left one is null where there is none. */
export function sides(term: Term): { left: Term | null; right: Term } {
  if (term.kind !== 'row') return { left: null, right: term };
  const at = term.items.findIndex((item) => item.kind === 'sign' && item.text === '=');
  if (at < 0) return { left: null, right: term };
  const row = (items: readonly Term[]): Term =>
    items.length === 1 ? items[0]! : { kind: 'row', items };
  return { left: row(term.items.slice(0, at)), right: row(term.items.slice(at + 1)) };
}

function parts(term: Term): readonly (Term | null)[] {
  switch (term.kind) {
    case 'row':
      return term.items;
    case 'apply':
      return [term.power, term.to];
    case 'fraction':
      return [term.top, term.bottom];
    case 'root':
    case 'group':
      return [term.inner];
    case 'script':
      return [term.base, term.up, term.down];
    default:
      return [];
  }
}

/** The names that stand for values in a term; a bar marks a gradient, which is none. */
export function namesIn(term: Term): Set<string> {
  const found = new Set<string>();
  const open: (Term | null)[] = [term];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === null || next.kind === 'bar') continue;
    if (next.kind === 'name') found.add(next.text);
    open.push(...parts(next));
  }
  return found;
}
