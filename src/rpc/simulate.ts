import { type Address, type Hex, isHex, numberToHex, type PublicClient } from 'viem';
import { z } from 'zod';
import { revertReason } from './revert-reason';

/** A call to simulate, as its sender would send it. */
export interface SimulatedTransaction {
  readonly from: string;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei. */
  readonly value: bigint;
  /** Gas limit; the block's gas limit when absent. */
  readonly gas?: bigint | undefined;
}

/** State that the simulation uses instead of the chain's. `stateDiff` maps storage slots to 32-byte words. */
type StateOverrides = Readonly<
  Record<Address, { readonly balance?: bigint; readonly code?: Hex; readonly stateDiff?: Readonly<Record<Hex, Hex>> }>
>;

export interface SimulationOptions {
  readonly stateOverrides?: StateOverrides | undefined;
  /** Block after which the calls are executed; the latest when absent. */
  readonly blockNumber?: bigint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An event that a simulated call emitted. */
export interface SimulatedLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface SimulatedCall {
  readonly ok: boolean;
  readonly gasUsed: bigint;
  readonly returnData: Hex;
  /** In the order of emission; empty for a failed call. */
  readonly logs: readonly SimulatedLog[];
  /** Reason of the failure as text; `undefined` for a successful call. */
  readonly revertReason: string | undefined;
}

const hex = z.custom<Hex>((value) => isHex(value));
const quantity = hex.transform((value) => BigInt(value));
const simulatedBlocks = z.array(
  z.object({
    calls: z.array(
      z.object({
        status: quantity,
        gasUsed: quantity,
        returnData: hex.default('0x'),
        logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })).default([]),
        error: z.object({ message: z.string().optional(), data: hex.optional() }).nullish(),
      }),
    ),
  }),
);

/**
 * Executes the calls one after another after a block, without signatures; each sees the effects of those before it. Gas is
 * free; native coin that is sent along must be available.
 *
 * @throws the error of the node or the transport, for example when the node does not support eth_simulateV1.
 * @see https://geth.ethereum.org/docs/interacting-with-geth/rpc/ns-eth#eth-simulate-v1
 */
export async function simulateCalls(
  client: PublicClient,
  calls: readonly SimulatedTransaction[],
  options: SimulationOptions,
): Promise<readonly SimulatedCall[]> {
  const block = { calls: calls.map(toRpcCall), stateOverrides: toRpcOverrides(options.stateOverrides ?? {}) };
  const base = options.blockNumber === undefined ? 'latest' : numberToHex(options.blockNumber);
  const request = { method: 'eth_simulateV1', params: [{ blockStateCalls: [block] }, base] };
  const response: unknown = await client.request(request as never, requestOptions(options.signal));
  const simulated = simulatedBlocks.parse(response).flatMap((each) => each.calls);
  return simulated.map(({ status, gasUsed, returnData, logs, error }) => {
    if (status === 1n) return { ok: true, gasUsed, returnData, logs, revertReason: undefined };
    // Some nodes return the contract's data only in the error.
    const reverted = returnData === '0x' ? (error?.data ?? '0x') : returnData;
    const reason = failureReason(reverted, error?.message);
    return { ok: false, gasUsed, returnData: reverted, logs: [], revertReason: reason };
  });
}

function failureReason(data: Hex, message: string | undefined): string {
  if (data !== '0x' || message === undefined || /revert/i.test(message)) return revertReason(data);
  return message.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 200);
}

const requestOptions = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });

const toRpcCall = ({ from, to, data, value, gas }: SimulatedTransaction) => ({
  from,
  to,
  data,
  value: numberToHex(value),
  ...(gas === undefined ? {} : { gas: numberToHex(gas) }),
});

function toRpcOverrides(overrides: StateOverrides): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(overrides).map(([address, { balance, ...rest }]) => [
      address,
      { ...rest, ...(balance === undefined ? {} : { balance: numberToHex(balance) }) },
    ]),
  );
}
