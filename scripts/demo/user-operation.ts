import {
  concatHex,
  createPublicClient,
  createWalletClient,
  defineChain,
  erc20Abi,
  type Hex,
  http,
  parseUnits,
  slice,
} from 'viem';
import {
  entryPoint07Abi,
  formatUserOperation,
  type RpcUserOperation,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';

const hex = z.templateLiteral(['0x', z.string()]);
const accountSchema = z.object({ address: hex });
const quoteSchema = z.object({
  id: z.string(),
  quote: z.object({ expectedAmountOut: z.string(), feeSponsorship: z.boolean() }),
  userOperation: z.looseObject({
    entryPoint: hex,
    signature: hex,
    typedData: z.unknown(),
    sender: hex,
    userOperationHash: hex,
  }),
});
type Quote = z.infer<typeof quoteSchema>;

const SLUG = 'devnet';

/**
 * A new smart account swaps, then sends USDC to another chain: the service deploys it, or its first user operation does, and
 * the second operation is sponsored. A local account acts as the bundler.
 */
export async function demonstrateUserOperation(demo: Demo): Promise<void> {
  const owner = privateKeyToAccount(generatePrivateKey());
  const chainId = demo.service.chains.find(({ slug }) => slug === SLUG)?.chainId ?? 0;
  const { address } = accountSchema.parse(await demo.api.post('/smart-account', { owner: owner.address, chainId }));
  console.log(`Smart account ${address} of ${owner.address}`);
  const funds = openFunds(demo, address);
  await funds.fund();
  const swap = { tokenIn: demo.evmToken(SLUG, 'USDC'), tokenOut: demo.evmToken(SLUG, 'WETH'), amountIn: '25000000' };
  const [weth, ether] = [await funds.balanceOf(swap.tokenOut), await funds.balanceOf()];
  console.log('\nSwapping 25 USDC to WETH by a user operation, which also deploys the account unless the service has');
  const promised = await execute(demo, { owner, account: address, query: { ...swap, destinationChain: SLUG } });
  const received = (await funds.balanceOf(swap.tokenOut)) - weth;
  console.log(`  received ${formatBaseUnits(received, 18)} WETH`);
  if (received !== BigInt(promised.quote.expectedAmountOut))
    throw new InvariantError('the output differs from the quote');
  if ((await funds.balanceOf()) >= ether) throw new InvariantError('the account did not pay for its gas');

  console.log('\nSending 100 USDC to devnet-l2, sponsored');
  const left = await funds.balanceOf();
  const bridge = { tokenIn: swap.tokenIn, tokenOut: demo.evmToken('devnet-l2', 'USDC'), amountIn: '100000000' };
  const sponsored = { destinationChain: 'devnet-l2', feeSponsorship: 'true' };
  await execute(demo, { owner, account: address, query: { ...bridge, ...sponsored } });
  if ((await funds.balanceOf()) !== left) throw new InvariantError('the account paid for a sponsored operation');
  console.log('  it cost the account nothing');
}

interface Operation {
  readonly owner: ReturnType<typeof privateKeyToAccount>;
  readonly account: Hex;
  readonly query: Readonly<Record<string, string>>;
}

async function execute(demo: Demo, { owner, account, query }: Operation): Promise<Quote> {
  const { api } = demo;
  const response = quoteSchema.parse(
    await api.get('/v2/swap/quote', {
      originChain: SLUG,
      originAddress: account,
      destinationAddress: account,
      output: 'userOperation',
      ...query,
    }),
  );
  const { id, userOperation } = response;
  console.log(`  action ${id}, user operation ${userOperation.userOperationHash}`);
  const signature = await owner.signTypedData(userOperation.typedData as Parameters<typeof owner.signTypedData>[0]);
  // The first twelve bytes of the signature are its validity period.
  const signed = { ...userOperation, signature: concatHex([slice(userOperation.signature, 0, 12), signature]) };
  await sendAndFollow({ api, id }, () =>
    bundle(demo, userOperation.entryPoint, signed as unknown as RpcUserOperation<'0.7'>),
  );
  return response;
}

/** Acts as a bundler: sends the operation to the EntryPoint and pays for the transaction. */
async function bundle({ service }: Demo, entryPoint: Hex, operation: RpcUserOperation<'0.7'>): Promise<void> {
  const { reader, signer, account } = clientsOf(service, 1);
  const packed = toPackedUserOperation(formatUserOperation(operation));
  const hash = await signer.writeContract({
    address: entryPoint,
    abi: entryPoint07Abi,
    functionName: 'handleOps',
    args: [[packed], account.address] as const,
    gas: 3_000_000n,
    account,
    chain: signer.chain,
  });
  const { status } = await reader.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new InvariantError(`the bundle ${hash} reverted`);
}

function clientsOf(service: Demo['service'], index: number) {
  const endpoint = service.chains.find(({ slug }) => slug === SLUG);
  const key = service.accounts[index]?.privateKey;
  if (endpoint === undefined || key === undefined) throw new InvariantError('the embedded service has no account');
  const chain = defineChain({
    id: endpoint.chainId,
    name: SLUG,
    rpcUrls: { default: { http: [endpoint.rpcUrl] } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  });
  const account = privateKeyToAccount(key);
  const reader = createPublicClient({ chain, transport: http(), pollingInterval: 200 });
  return { account, reader, signer: createWalletClient({ account, chain, transport: http() }) };
}

function openFunds(demo: Demo, account: Hex) {
  const { reader, signer, account: giver } = clientsOf(demo.service, 2);
  const usdc = demo.evmToken(SLUG, 'USDC');
  const args = [account, parseUnits('500', 6)] as const;
  return {
    balanceOf: (token?: Hex): Promise<bigint> =>
      token === undefined
        ? reader.getBalance({ address: account })
        : reader.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
    async fund() {
      const { chain } = signer;
      for (const hash of [
        // The service may deploy the account meanwhile: what was estimated before is not enough then.
        await signer.sendTransaction({ to: account, value: parseUnits('1', 18), gas: 100_000n, account: giver, chain }),
        await signer.writeContract({
          address: usdc,
          abi: erc20Abi,
          functionName: 'transfer',
          args,
          account: giver,
          chain,
        }),
      ]) {
        const { status } = await reader.waitForTransactionReceipt({ hash });
        if (status !== 'success') throw new InvariantError(`the payment ${hash} to the account reverted`);
      }
    },
  };
}
