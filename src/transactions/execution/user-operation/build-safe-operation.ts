import type { Hex } from 'viem';
import type { Chain } from '../../../chains/chain';
import { serviceError } from '../../../errors/service-error';
import { validationError } from '../../../errors/validation';
import { formatBaseUnits } from '../../../money/base-units';
import type { SimulationView } from '../../../quotes/quote-view';
import type { FeeData } from '../../../rpc/fee-data';
import type { Rpc } from '../../../rpc/rpc';
import { encodeAccountCalls, stubSignature } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { nonceKeyOf } from '../../action-nonce-key';
import type { BuiltUserOperation, OutputBuilders, UserOperationRequest } from '../output-builders';
import { unfundedError } from '../unfunded-error';
import { type SafeStateDeps, type SafeState, readSafeState } from './safe-state';
import { estimateL1DataGas } from './estimate-l1-data-gas';
import {
  gasLimits,
  type UserOperationV07,
  preVerificationGas,
  requiredPrefund,
  totalGas,
  FALLBACK_GAS,
} from './gas-limits';
import {
  userOperationView,
  timedSignature,
  type UserOperationView,
  type SignatureValidity,
} from './user-operation-view';
import { paymasterData, PAYMASTER_DATA_BYTES, type PaymasterSigner, type GasSponsorship } from './paymaster';
import type { TakeSponsoredGas } from './sponsored-gas';
import { simulateUserOperation } from './simulate-user-operation';
import { maxBigInt } from '../../../money/min-max';

export interface SafeOperationDeps extends SafeStateDeps {
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate' | 'feeData'>;
  /** Signer of the chain table's paymasters. Without it no operation is sponsored. */
  readonly paymasterSigner: PaymasterSigner | undefined;
  readonly takeSponsoredGas: TakeSponsoredGas;
}

/** A user operation of a Safe, with its typed JSON. */
export interface SafeUserOperation extends BuiltUserOperation {
  readonly userOperation: UserOperationView;
}

export interface SafeOperationBuilder extends Pick<OutputBuilders, 'buildUserOperation'> {
  /**
   * Builds one unsigned user operation of a Safe that executes all calls or none, and deploys the Safe when it is not
   * deployed yet. The expected result is in `simulation`; only a sponsored operation must succeed.
   *
   * Each action has its own nonce key, so at most one of its operations can be executed, and operations of different actions
   * do not block each other.
   *
   * @throws VALIDATION_ERROR on `originAddress` when it is not a smart account, on `output` when the chain has no EntryPoint;
   * on `quoteId` when an operation of the action was executed already; FEE_SPONSORSHIP_NOT_ALLOWED when the chain has no
   * paymaster; BYTECODE_GENERATION_FAILED when a sponsored operation would revert; PROVIDER_UNAVAILABLE; RATE_LIMIT_EXCEEDED
   * when the customer's budget for sponsored gas is exhausted
   */
  buildUserOperation(request: UserOperationRequest): Promise<SafeUserOperation>;
}

export const createSafeOperationBuilder = (deps: SafeOperationDeps): SafeOperationBuilder => ({
  buildUserOperation: (request) => buildSafeOperation(deps, request),
});

async function buildSafeOperation(deps: SafeOperationDeps, request: UserOperationRequest): Promise<SafeUserOperation> {
  const { chain, calls, signal } = request;
  const { chainId } = chain;
  const sponsor = request.sponsored ? sponsorOf(deps, request) : undefined;
  const [state, fees, callData] = await Promise.all([
    readSafeState(deps, { ...request, paymaster: sponsor?.paymaster, nonceKey: nonceKeyOf(request.actionId) }),
    deps.rpc.feeData(chainId),
    encodeAccountCalls(calls),
  ]);
  assertUnused(state, request);
  const validity = { validAfter: 0, validUntil: secondsOf(request.deadline) ?? 0 };
  const draft = await draftOperation({ request, state, callData, fees, validity, sponsor });
  const [simulated, l1DataGas] = await Promise.all([
    simulateUserOperation(deps.rpc, {
      chainId,
      operation: await withSponsorship(draft, sponsor),
      calls,
      signal,
      threshold: state.threshold,
      balance: state.balance,
    }),
    estimateL1DataGas(deps.rpc, { chainId, operation: draft, feePerGas: fees.expectedFeePerGas, signal }),
  ]);
  const operation = withLimits(draft, { ...gasLimits(simulated.gas), l1DataGas });
  const simulation = withFundsCheck(request, { state, operation, simulation: simulated.simulation });
  if (sponsor !== undefined) {
    assertSponsored(chain, { state, operation, simulation });
    await takeGas(deps, request, { operation, sponsor });
  }
  const signable = await withSponsorship(operation, sponsor);
  return {
    callData,
    simulation,
    entryPoint: ENTRY_POINT,
    userOperation: userOperationView({ chainId, operation: signable, ...validity }),
    gasLimit: simulated.simulation.status === 'SUCCESS' ? totalGas(operation) : undefined,
  };
}

interface Sponsor extends GasSponsorship {
  readonly signer: PaymasterSigner;
}

const SPONSORED_SECONDS = 600;

function sponsorOf({ paymasterSigner: signer }: SafeOperationDeps, { chain, deadline }: UserOperationRequest): Sponsor {
  const { chainId, slug, paymaster } = chain;
  if (signer === undefined || paymaster === undefined) {
    throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED', { reason: `no paymaster is configured on ${slug}` });
  }
  const validUntil = secondsOf(deadline) ?? Math.floor(Date.now() / 1000) + SPONSORED_SECONDS;
  return { signer, chainId, paymaster, validUntil };
}

const secondsOf = (instant: Date | undefined): number | undefined =>
  instant === undefined ? undefined : Math.floor(instant.getTime() / 1000);

const NONCE_SEQUENCE_MASK = 2n ** 64n - 1n;

/** One operation per action can be executed: the sequence of its nonce key must be at 0. */
function assertUnused({ nonce }: SafeState, { actionId }: UserOperationRequest): void {
  if ((nonce & NONCE_SEQUENCE_MASK) === 0n) return;
  const message = `is already executed: the account has executed a user operation of the action ${actionId}`;
  throw validationError([{ path: 'quoteId', message }]);
}

/** Has the length of signed paymaster data. */
const STUB_PAYMASTER_DATA = { paymasterData: `0x${'ff'.repeat(PAYMASTER_DATA_BYTES)}` } as const;

interface Draft {
  readonly request: UserOperationRequest;
  readonly state: SafeState;
  readonly callData: Hex;
  readonly fees: FeeData;
  readonly validity: SignatureValidity;
  readonly sponsor: Sponsor | undefined;
}

/** The operation with fallback limits, which are as long as the final ones. */
async function draftOperation({ request, state, callData, fees, validity, sponsor }: Draft): Promise<UserOperationV07> {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const operation: UserOperationV07 = {
    sender: request.account,
    nonce: state.nonce,
    callData,
    maxFeePerGas,
    maxPriorityFeePerGas,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...state.deployment,
    signature: timedSignature(validity, await stubSignature(state.threshold)),
    ...(sponsor === undefined
      ? {}
      : { paymaster: sponsor.paymaster, paymasterPostOpGasLimit: 0n, ...STUB_PAYMASTER_DATA }),
  };
  return withLimits(operation, { ...gasLimits({ ...FALLBACK_GAS, threshold: state.threshold }), l1DataGas: 0n });
}

interface Limits extends ReturnType<typeof gasLimits> {
  /** Gas for publishing the operation. */
  readonly l1DataGas: bigint;
}

function withLimits(operation: UserOperationV07, limits: Limits): UserOperationV07 {
  const { callGasLimit, verificationGasLimit, paymasterVerificationGasLimit, l1DataGas } = limits;
  const limited = {
    ...operation,
    callGasLimit,
    verificationGasLimit,
    ...(operation.paymaster === undefined ? {} : { paymasterVerificationGasLimit }),
  };
  return { ...limited, preVerificationGas: preVerificationGas(limited) + l1DataGas };
}

/** Adds signed paymaster data to a sponsored operation. */
async function withSponsorship(operation: UserOperationV07, sponsor: Sponsor | undefined): Promise<UserOperationV07> {
  if (sponsor === undefined) return operation;
  return { ...operation, paymasterData: await paymasterData(sponsor.signer, operation, sponsor) };
}

interface SimulatedOperation {
  readonly state: SafeState;
  readonly operation: UserOperationV07;
  readonly simulation: SimulationView;
}

/** A shortage of native coin takes precedence: it explains the revert. */
function withFundsCheck(
  { chain, calls }: UserOperationRequest,
  { state, operation, simulation }: SimulatedOperation,
): SimulationView {
  const prefund = operation.paymaster === undefined ? positive(requiredPrefund(operation) - state.deposit) : 0n;
  const needed = calls.reduce((sum, { value }) => sum + value, prefund);
  if (state.balance >= needed) return simulation;
  const { symbol, decimals } = chain.nativeCurrency;
  const formatCoin = (amount: bigint) => `${formatBaseUnits(amount, decimals)} ${symbol}`;
  const reason = `the account holds ${formatCoin(state.balance)} of ${formatCoin(needed)} needed, gas included`;
  return { status: 'INSUFFICIENT_BALANCE', reason };
}

const positive = (amount: bigint): bigint => maxBigInt(amount, 0n);

/** Counts the gas before the signature exists: every signed operation may be executed. */
function takeGas(
  { takeSponsoredGas }: SafeOperationDeps,
  { customerId, actionId, account: sender }: UserOperationRequest,
  { operation, sponsor }: { readonly operation: UserOperationV07; readonly sponsor: Sponsor },
): Promise<void> {
  const validUntil = new Date(sponsor.validUntil * 1000);
  const identified = { sender, nonceKey: nonceKeyOf(actionId), validUntil };
  const wei = requiredPrefund(operation);
  return takeSponsoredGas({ customerId, chainId: sponsor.chainId, actionId, wei, operation: identified });
}

/** A paymaster pays for failed operations too, so only operations that succeed in the simulation are sponsored. */
function assertSponsored(
  { slug }: Chain,
  { state, operation, simulation: { status, reason = '' } }: SimulatedOperation,
): void {
  if (status === 'INSUFFICIENT_BALANCE') throw unfundedError(reason);
  if (status === 'UNAVAILABLE') throw serviceError('PROVIDER_UNAVAILABLE', { provider: slug, reason });
  if (status !== 'SUCCESS') {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: `a sponsored operation must succeed: ${reason}` });
  }
  if (state.deposit < requiredPrefund(operation)) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'paymaster', reason: 'its deposit does not cover the gas' });
  }
}
