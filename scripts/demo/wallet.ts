import { createPublicClient, createWalletClient, defineChain, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { isNativeToken } from '../../src/chains/addresses';
import { InvariantError } from '../../src/errors/invariant-error';
import type { EmbeddedService } from './embedded-service';

const hex = z.templateLiteral(['0x', z.string()]);

/** Calls in sending order, as returned by the service. */
export const callsSchema = z.array(z.object({ to: hex, data: hex, value: z.string().regex(/^[0-9]+$/) }));
export type Calls = z.infer<typeof callsSchema>;

export interface DemoWallet {
  readonly address: Hex;
  /** In base units. `owner` defaults to this wallet. The native coin has its usual address. */
  balanceOf(token: Hex, owner?: Hex): Promise<bigint>;
  /**
   * Signs and sends the calls one after the other. Returns the hashes of the transactions, all mined and successful.
   */
  send(calls: Calls): Promise<readonly Hex[]>;
}

/** The local node takes milliseconds, except on a machine that is busy with other work. */
const NODE_TIMEOUT_MS = 60_000;

/** The wallet of a user. It holds its key, which the service never receives. */
export function createDemoWallet(service: EmbeddedService, chainId: number): DemoWallet {
  const endpoint = service.chains.find((chain) => chain.chainId === chainId);
  const owner = service.accounts[0];
  if (endpoint === undefined || owner === undefined) throw new InvariantError('the embedded service has no such chain');
  const chain = defineChain({
    id: chainId,
    name: endpoint.slug,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [endpoint.rpcUrl] } },
  });
  const account = privateKeyToAccount(owner.privateKey);
  const transport = http(undefined, { timeout: NODE_TIMEOUT_MS });
  const reader = createPublicClient({ chain, transport, pollingInterval: 200 });
  const signer = createWalletClient({ account, chain, transport });
  return {
    address: account.address,
    balanceOf: (token, owner = account.address) =>
      isNativeToken(token)
        ? reader.getBalance({ address: owner })
        : reader.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
    async send(calls) {
      const hashes: Hex[] = [];
      for (const { to, data, value } of calls) {
        const call = { account, to, data, value: BigInt(value) };
        // A pool may need more gas in the block of the transaction than in the block of the estimate.
        const gas = ((await reader.estimateGas(call)) * 13n) / 10n;
        const hash = await signer.sendTransaction({ ...call, gas });
        const { status } = await reader.waitForTransactionReceipt({ hash });
        if (status !== 'success') throw new InvariantError(`the transaction ${hash} reverted`);
        hashes.push(hash);
      }
      return hashes;
    },
  };
}
