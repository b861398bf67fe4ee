import { createChangeFeed } from './change-feed';

describe('a feed of changes', () => {
  it('notifies watches in other batches when the items of one batch cannot be read, and those later', async () => {
    const batches: number[] = [];
    const failures: unknown[] = [];
    let isBroken = true;
    const feed = createChangeFeed({
      pollMs: 1,
      onFailure: (error) => failures.push(error),
      readVersions(keys) {
        batches.push(keys.length);
        if (isBroken && keys.includes('0')) return Promise.reject(new TypeError('timeout'));
        return Promise.resolve(new Map(keys.map((key) => [key, '1'])));
      },
    });
    const watches = Array.from({ length: 1001 }, (_, index) => feed.watch(String(index), () => undefined));
    let notified = 0;
    const changes = watches.map(({ changed }) => changed(new AbortController().signal).then(() => (notified += 1)));
    await changes[1000];
    expect([batches.slice(0, 3), failures.length > 0, notified]).toEqual([[500, 500, 1], true, 501]);
    isBroken = false;
    await Promise.all(changes);
    for (const { close } of watches) close();
  });
});
