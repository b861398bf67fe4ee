import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const transferSchema = z.object({ id: z.string(), bytecode: callsSchema });
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

/** Sends USDC, then ETH, to a new wallet. */
export async function demonstrateTransfer(demo: Demo): Promise<void> {
  const recipient = privateKeyToAddress(generatePrivateKey());
  await transfer(demo, { name: '12.5 USDC', token: demo.evmToken('devnet', 'USDC'), amount: '12500000', recipient });
  await transfer(demo, { name: '0.2 ETH', token: NATIVE, amount: '200000000000000000', recipient });
}

interface Gift {
  readonly name: string;
  readonly token: `0x${string}`;
  readonly amount: string;
  readonly recipient: `0x${string}`;
}

async function transfer(demo: Demo, { name, token, amount, recipient }: Gift): Promise<void> {
  const { api } = demo;
  const wallet = demo.wallet('devnet');
  console.log(`\n${name} from ${wallet.address} to ${recipient}`);
  const { id, bytecode } = transferSchema.parse(
    await api.post('/transfer/bytecode', {
      chainId: 31_337,
      token,
      amount,
      originAddress: wallet.address,
      destinationAddress: recipient,
    }),
  );
  console.log(`  action ${id}`);
  await sendAndFollow({ api, id }, () => wallet.send(bytecode));
  const received = await wallet.balanceOf(token, recipient);
  if (received !== BigInt(amount)) throw new InvariantError(`${received.toString()} arrived`);
  console.log('  arrived');
}
