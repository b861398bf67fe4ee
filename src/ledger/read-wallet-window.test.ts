import type { PublicClient } from 'viem';
import { readWalletWindow } from './read-wallet-window';

it('ends the requests for a window with its signal: they do not go on beside the next attempt', async () => {
  const controller = new AbortController();
  const signals: (AbortSignal | undefined)[] = [];
  const request = (_: unknown, options?: { readonly signal?: AbortSignal }): Promise<never> => {
    signals.push(options?.signal);
    return new Promise((_resolve, reject) => {
      options?.signal?.addEventListener('abort', () => reject(new TypeError('ended')));
    });
  };
  const window = { wallet: `0x${'a1'.repeat(20)}`, first: 1n, last: 1000n };
  const reading = readWalletWindow({ request } as unknown as PublicClient, window, controller.signal);
  expect(signals).toEqual([controller.signal, controller.signal]);
  controller.abort();
  await expect(reading).rejects.toThrow('ended');
});
