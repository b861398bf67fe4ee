import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDemo } from '../../scripts/demo/demo';
import type { EmbeddedService } from '../../scripts/demo/embedded-service';
import { demonstrateSend } from '../../scripts/demo/send';
import { customerNamed, rest, runningService } from '../setup/running-service';

const service = runningService();
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const demo = openDemo({
  ...service,
  customers: [{ ...customerNamed(service, 'load'), name: 'demo' }],
  accounts: [service.accounts[4]!],
} as unknown as EmbeddedService);

/** The file of a response with a quote, as the README writes it. */
function saved(response: object): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'demo-')), 'quote.json');
  writeFileSync(file, JSON.stringify(response));
  return file;
}

const route = { originChain: 'devnet', destinationChain: 'devnet', tokenIn: NATIVE, amountIn: '100000000000000000' };

async function printedBy(work: () => Promise<void>): Promise<readonly string[]> {
  const printed: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  try {
    await work();
  } finally {
    log.mockRestore();
  }
  return printed;
}

it('signs and sends a quote that was requested by hand, and prints the action when it has ended', async () => {
  const parameters = new URLSearchParams({ ...route, tokenOut: demo.token('devnet', 'USDC') });
  const { body } = await rest(`/v2/swap/quote?${parameters.toString()}`);
  const file = saved(body);
  const { quoteId } = body.quote;
  const first = await printedBy(() => demonstrateSend(demo, [file]));
  const expected = { quoteId, status: 'SUCCESS', originAddress: service.accounts[4]!.address };
  expect(JSON.parse(first.at(-1)!)).toMatchObject(expected);
  const second = await printedBy(() => demonstrateSend(demo, [file]));
  expect(second[0]).toMatch(/^action .*: was sent already$/);
  expect(JSON.parse(second.at(-1)!)).toMatchObject(expected);
});

it.each([
  ['fiat', 'devnet'],
  ['devnet', 'solana-local'],
])('creates no action for a quote from %s to %s', async (originChain, destinationChain) => {
  const post = jest.fn();
  const file = saved({ quote: { quoteId: 'id', originChain, destinationChain } });
  const sending = demonstrateSend({ ...demo, api: { ...demo.api, post } }, [file]);
  await expect(sending).rejects.toThrow('the quote is not for a swap between EVM chains');
  expect(post).not.toHaveBeenCalled();
});

it('says that the file does not exist when there is none of this name', async () => {
  await expect(demonstrateSend(demo, ['nosuch.json'])).rejects.toThrow('the file nosuch.json does not exist');
});

it('says how it is called when the quote is missing', async () => {
  await expect(demonstrateSend(demo, [])).rejects.toThrow('npm run demo -- send <file or quoteId>');
});
