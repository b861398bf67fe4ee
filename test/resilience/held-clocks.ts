/** The clocks of this process, and of a gateway in it. They stand still, except when a test moves them. */
export interface HeldClocks {
  advance(milliseconds: number): void;
  /** Lets them run again. */
  release(): void;
}

/** Stops the clocks, so that nothing expires because the machine is slow. Timers run on. */
export function holdClocks(): HeldClocks {
  let passedMs = 0;
  const held = [Date, performance].map((clock) => {
    const heldAt = clock.now();
    return jest.spyOn(clock, 'now').mockImplementation(() => heldAt + passedMs);
  });
  return {
    advance(milliseconds) {
      passedMs += milliseconds;
    },
    release: () => held.forEach((spy) => spy.mockRestore()),
  };
}
