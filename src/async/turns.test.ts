import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from './turns';

test('callers continue in their order, each in a turn of its own', async () => {
  const turns = createTurns();
  let turn = 0;
  const counting = (async () => {
    for (let count = 0; count < 40; count += 1) {
      await nextTurn();
      turn += 1;
    }
  })();
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    await turns.next();
    return { caller, turn };
  });
  const continued = await Promise.all(callers);
  expect(continued.map(({ caller }) => caller)).toEqual(callers.map((_, caller) => caller));
  expect(new Set(continued.map((each) => each.turn)).size).toBe(callers.length);
  await counting;
});

test('a caller without others before it continues at once', async () => {
  const turns = createTurns();
  for (let round = 0; round < 3; round += 1) {
    let hasTurnEnded = false;
    const ending = nextTurn().then(() => (hasTurnEnded = true));
    await turns.next();
    expect(hasTurnEnded).toBe(false);
    await ending;
    await nextTurn();
  }
});
