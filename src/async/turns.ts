/** Lets callers continue one after the other, so that other work runs between them. */
export interface Turns {
  /** Resolves at once for the first caller, and for each further caller in a turn of the event loop of its own. */
  next(): Promise<void>;
}

/** Creates a queue without a limit: each caller is expected to compute for milliseconds after its turn has come. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const endTurn = (): void => {
    const resume = waiting.shift();
    isTaken = resume !== undefined;
    if (resume === undefined) return;
    resume();
    setImmediate(endTurn);
  };
  return {
    next() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      setImmediate(endTurn);
      return Promise.resolve();
    },
  };
}
