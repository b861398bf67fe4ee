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

/** A call as the service hands it out. */
export interface HandedOut {
  readonly to: Address;
  readonly data: Hex;
  readonly value: string;
}

/** A wallet that nothing has happened to but that it got native coin and money. */
export interface NewWallet {
  readonly address: Address;
  readonly reader: PublicClient;
  /** Sends calls one after another, each once the one before is mined; the hash of the last. */
  send(calls: readonly HandedOut[]): Promise<Hex>;
  /** A signed transaction that is not sent, `ahead` places after the next one. */
  sign(call: HandedOut, ahead?: number): Promise<{ readonly raw: Hex; readonly hash: Hex }>;
  /** Hands a signed transaction to the node. */
  submit(raw: Hex): Promise<void>;
}

const faucet = parseAbi(['function mint(address to, uint256 value)']);
const GAS = 3_000_000n;
const DOLLARS = 1_000_000n * 10n ** 6n;

/** A wallet on an embedded chain with native coin and a million USDC. */
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
