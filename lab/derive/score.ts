/** Numbers of right, found and labelled items of one kind. */
export class Score {
  right = 0;
  found = 0;
  labelled = 0;

  get precision(): number {
    return this.found === 0 ? 0 : this.right / this.found;
  }

  get recall(): number {
    return this.labelled === 0 ? 0 : this.right / this.labelled;
  }

  get f1(): number {
    const sum = this.precision + this.recall;
    return sum === 0 ? 0 : (2 * this.precision * this.recall) / sum;
  }
}

/** Scores by kind, and of all kinds. */
export class Scores {
  readonly byKind = new Map<string, Score>();
  /** Items found but not labelled, or labelled but not found. */
  readonly faults: string[] = [];

  add(kind: string, what: 'right' | 'found' | 'labelled'): void {
    for (const key of [kind, 'all']) {
      const score = this.byKind.get(key) ?? new Score();
      score[what]++;
      this.byKind.set(key, score);
    }
  }

  get all(): Score {
    return this.byKind.get('all') ?? new Score();
  }
}
