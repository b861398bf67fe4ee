import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseAbi,
  parseEther,
  type PublicClient,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { RunningService } from '../setup/running-service';

/** A call in a response of the service. */
export interface ReturnedCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: string;
}

/** A funded wallet without other transactions. */
export interface NewWallet {
  readonly address: Address;
  readonly reader: PublicClient;
  /** Sends the calls one after another, each after the previous one is mined. Returns the hash of the last. */
  send(calls: readonly ReturnedCall[]): Promise<Hex>;
  /** Signs a transaction without sending it. Its nonce is `ahead` above the next one. */
  sign(call: ReturnedCall, ahead?: number): Promise<{ readonly raw: Hex; readonly hash: Hex }>;
  /** Submits a signed transaction to the node. */
  submit(raw: Hex): Promise<void>;
}

const faucet = parseAbi(['function mint(address to, uint256 value)']);
const GAS = 3_000_000n;
const DOLLARS = 1_000_000n * 10n ** 6n;

/** Creates a wallet on an embedded chain with native coin and a million USDC. */
export async function newWallet(service: RunningService, slug: string): Promise<NewWallet> {
  const { rpcUrl, chainId, tokens } = service.chains.find((chain) => chain.slug === slug)!;
  const transport = http(rpcUrl);
  const account = privateKeyToAccount(generatePrivateKey());
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const signer = createWalletClient({ account, transport });
  const { address } = account;
  await createTestClient({ mode: 'anvil', transport }).setBalance({ address, value: parseEther('100') });

  const sign: NewWallet['sign'] = async ({ to, data, value }, ahead = 0) => {
    const nonce = (await reader.getTransactionCount({ address })) + ahead;
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas: GAS,
      ...fees,
      to,
      data,
      value: BigInt(value),
    });
    return { raw, hash: keccak256(raw) };
  };
  const submit = async (raw: Hex): Promise<void> => {
    await signer.sendRawTransaction({ serializedTransaction: raw });
  };
  const send: NewWallet['send'] = async (calls) => {
    let last: Hex = '0x';
    for (const call of calls) {
      const { raw, hash } = await sign(call);
      await submit(raw);
      await reader.waitForTransactionReceipt({ hash });
      last = hash;
    }
    return last;
  };
  const mint = encodeFunctionData({ abi: faucet, functionName: 'mint', args: [address, DOLLARS] });
  await send([{ to: tokens['USDC']!, data: mint, value: '0' }]);
  return { address, reader, send, sign, submit };
}
