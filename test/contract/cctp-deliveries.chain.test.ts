import { type Hex, parseAbi, parseEventLogs, toFunctionSelector } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import type { BridgeTransfer } from '../../src/venues/delivery-source';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import { haltBlocks, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import {
  complete,
  followUntil,
  type LocalCctp,
  type LocalTransfer,
  poll,
  readerOf,
  sendCall,
  sendTransfer,
  startLocalCctp,
  supplyOf,
  usdcOf,
} from './cctp-transfers';
import { builtCall } from './local-swaps';

const AMOUNT = 1_000_000_000n;
/** One basis point of the amount. */
const FEE = 100_000n;
const messageSent = parseAbi(['event MessageSent(bytes message)']);

describe('deliveries of CCTP', () => {
  let universe: TestUniverse;
  let cctp: LocalCctp;
  let account: DevnetAccount;
  let helper: DevnetAccount;
  beforeAll(async () => {
    universe = await universeOfTests();
    cctp = await startLocalCctp(universe);
    [account, helper] = [universe.accounts[8]!, universe.accounts[9]!];
  });
  beforeEach(() => cctp.steer('reset'));
  afterAll(() => cctp.stop());

  const request = (options: Partial<LocalTransfer> = {}): QuoteRequest =>
    cctp.request({ amount: AMOUNT, sender: account.address, ...options });
  const sentTransfer = (options: Partial<LocalTransfer> = {}): Promise<BridgeTransfer> =>
    sendTransfer(cctp, { account, request: request(options) });
  const completionOf = (transfer: BridgeTransfer) =>
    cctp.provider.deliveries.completion!(transfer, AbortSignal.timeout(10_000));
  const delivered = async (transfer: BridgeTransfer) => {
    const { state } = await followUntil(cctp.provider, transfer, 'delivered');
    return state;
  };

  it('burns the amount on one chain, and mints it less the fee on the other', async () => {
    const [supplyHere, supplyThere] = [await supplyOf(cctp.here), await supplyOf(cctp.there)];
    const transfer = await sentTransfer();
    expect(await supplyOf(cctp.here)).toBe(supplyHere - AMOUNT);
    const { transfer: attested } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    expect(await supplyOf(cctp.there)).toBe(supplyThere);
    await complete(cctp, { transfer: attested, account: helper });
    expect(await supplyOf(cctp.there)).toBe(supplyThere + AMOUNT);
    expect(await usdcOf(cctp.there, transfer.recipient)).toBe(AMOUNT - FEE);
  });

  it('builds a completion for any sender, and reports its transaction and the minted amount', async () => {
    const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
    const call = await completionOf(transfer);
    expect(call).toMatchObject({
      chainId: cctp.there.chainId,
      to: cctp.there.cctp!.messageTransmitter,
      from: transfer.recipient,
      value: 0n,
      data: expect.stringMatching(new RegExp(`^${toFunctionSelector('receiveMessage(bytes,bytes)')}`)),
    });
    const { transactionHash } = await sendCall(cctp.there, helper, call!);
    expect(await delivered(transfer)).toEqual({
      status: 'delivered',
      txHash: transactionHash,
      amount: AMOUNT - FEE,
      partial: false,
    });
    expect(await completionOf(transfer)).toBeUndefined();
  });

  it('attests a standard transfer without a fee when its burn is final', async () => {
    const resumeBlocks = await haltBlocks(cctp.here);
    const transfer = await sentTransfer({ speed: 'standard' });
    expect(transfer.quote).toMatchObject({ transferSpeed: 'standard', expectedAmountOut: AMOUNT, fees: [] });
    expect(await poll(cctp.provider, transfer)).toMatchObject({ waitingFor: 'CONFIRMATIONS' });
    await resumeBlocks();
    const { transfer: attested } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    const { blockNumber } = await readerOf(cctp.here).getTransactionReceipt({ hash: transfer.originTxHash as Hex });
    expect(await readerOf(cctp.here).getBlockNumber()).toBeGreaterThanOrEqual(
      blockNumber + BigInt(cctp.here.confirmations),
    );
    await complete(cctp, { transfer: attested, account: helper });
    expect(await delivered(attested)).toMatchObject({ amount: AMOUNT, partial: false });
  });

  it('quotes a standard transfer where the origin chain has no fast transfers', async () => {
    const transfer = await sentTransfer({ from: cctp.there, speed: 'fast' });
    expect(transfer.quote).toMatchObject({ transferSpeed: 'standard', expectedAmountOut: AMOUNT });
    const { transfer: attested } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    await complete(cctp, { transfer: attested, account: helper });
    expect(await delivered(attested)).toMatchObject({ amount: AMOUNT });
    expect(await usdcOf(cctp.here, transfer.recipient)).toBe(AMOUNT);
  });

  it('waits for a delayed attestation, and continues with it', async () => {
    await cctp.steer('hold');
    const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'ATTESTATION');
    expect(await completionOf(transfer)).toBeUndefined();
    expect(await poll(cctp.provider, transfer)).toMatchObject({ status: 'inFlight', waitingFor: 'ATTESTATION' });
    await cctp.steer('release');
    const { stages } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    expect(stages.at(-1)).toBe('COMPLETION');
  });

  it('delivers the whole amount when a fast burn has to wait for finality', async () => {
    await cctp.steer('delay', { reason: 'insufficient_allowance_available' });
    const { transfer } = await followUntil(cctp.provider, await sentTransfer({ speed: 'fast' }), 'COMPLETION');
    await complete(cctp, { transfer, account: helper });
    expect(await delivered(transfer)).toMatchObject({ amount: AMOUNT, partial: false });
  });

  it('requests a new attestation once after the fast one has expired, and completes with it', async () => {
    const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
    const expired = await completionOf(transfer);
    await cctp.steer('expire', { transactionHash: transfer.originTxHash });
    expect(await completionOf(transfer)).toBeUndefined();
    const { transfer: renewed, stages } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    expect(stages).toEqual(['ATTESTATION', 'COMPLETION']);
    expect((await completionOf(renewed))!.data).not.toBe(expired!.data);
    await complete(cctp, { transfer: renewed, account: helper });
    expect(await delivered(renewed)).toMatchObject({ amount: AMOUNT - FEE, partial: false });
  });

  it('keeps the exact amount out when the fee falls between the call and the burn', async () => {
    const exact = request({ side: 'out' });
    const quote = (await cctp.provider.quote(exact, AbortSignal.timeout(10_000)))!;
    expect(quote.amountIn).toBe(AMOUNT + FEE + 11n); // one basis point of the amount in, rounded up
    const transfer = await sendTransfer(cctp, { account, request: exact });
    await cctp.steer('fees', { fast: 5 });
    const { transfer: attested } = await followUntil(cctp.provider, transfer, 'COMPLETION');
    await complete(cctp, { transfer: attested, account: helper });
    expect(await delivered(attested)).toMatchObject({ amount: quote.amountIn, partial: false });
  });

  it('builds at the current fee, and refuses a fee above the maximum of the quote', async () => {
    await cctp.steer('fees', { fast: 1.3 });
    const [exactIn, exactOut] = [request(), request({ side: 'out' })];
    const [quoteIn, quoteOut] = await Promise.all(
      [exactIn, exactOut].map((each) => cctp.provider.quote(each, AbortSignal.timeout(10_000))),
    );
    expect(quoteIn).toMatchObject({ expectedAmountOut: AMOUNT - 130_000n, minAmountOut: AMOUNT - 156_000n });
    const deadline = Math.floor(Date.now() / 1000) + 300;
    const build = (each: QuoteRequest, quote: typeof quoteIn) =>
      builtCall(cctp.provider, {
        request: each,
        quote: quote!,
        sender: each.originAddress!,
        recipient: each.destinationAddress!,
        deadline,
      });
    await cctp.steer('fees', { fast: 1.56 });
    await expect(build(exactIn, quoteIn)).resolves.toBeDefined();
    await expect(build(exactOut, quoteOut)).resolves.toBeDefined();
    await cctp.steer('fees', { fast: 1.57 });
    await expect(build(exactIn, quoteIn)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
    await expect(build(exactOut, quoteOut)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
  });

  it('finds a completion of another sender, even while the attestation service is down', async () => {
    const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
    const call = await completionOf(transfer);
    const { transactionHash } = await sendCall(cctp.there, universe.accounts[2]!, call!);
    const { state } = await followUntil(cctp.withoutApi, transfer, 'delivered');
    expect(state).toMatchObject({ txHash: transactionHash, amount: AMOUNT - FEE });
    // The same without a checkpoint.
    expect(await delivered({ ...transfer, checkpoint: undefined })).toMatchObject({ txHash: transactionHash });
  });

  it('refuses a second completion of the same burn', async () => {
    const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
    const call = (await completionOf(transfer))!;
    await sendCall(cctp.there, helper, call);
    await expect(sendCall(cctp.there, helper, call)).rejects.toThrow('Nonce already used');
    expect(await usdcOf(cctp.there, transfer.recipient)).toBe(AMOUNT - FEE);
  });

  it('distinguishes two burns of the same amount', async () => {
    const [one, other] = [await sentTransfer(), await sentTransfer()];
    const { transfer } = await followUntil(cctp.provider, one, 'COMPLETION');
    await complete(cctp, { transfer, account: helper });
    expect(await delivered(one)).toMatchObject({ amount: AMOUNT - FEE });
    const { state } = await followUntil(cctp.provider, other, 'COMPLETION');
    expect(state).toMatchObject({ waitingFor: 'COMPLETION' });
    expect(await usdcOf(cctp.there, other.recipient)).toBe(0n);
  });

  it('reports BRIDGE_API_ERROR when the attested message is not the message of the burn', async () => {
    const [own, foreign] = [await sentTransfer(), await sentTransfer({ amount: AMOUNT * 2n })];
    await followUntil(cctp.provider, own, 'COMPLETION');
    const message = await messageOf(foreign.originTxHash as Hex);
    await cctp.steer('substitute', { transactionHash: own.originTxHash, message });
    await expect(poll(cctp.provider, own)).rejects.toMatchObject({ code: 'BRIDGE_API_ERROR' });
    await expect(completionOf(own)).rejects.toMatchObject({ code: 'BRIDGE_API_ERROR' });
  });

  it('reports BRIDGE_API_ERROR while the attestation service is down', async () => {
    const transfer = await sentTransfer();
    await expect(poll(cctp.withoutApi, transfer)).rejects.toMatchObject({ code: 'BRIDGE_API_ERROR' });
  });

  it('fails a transfer when its transaction is final and contains no burn for it', async () => {
    const transfer = await sentTransfer();
    const other = { ...transfer, recipient: helper.address };
    const { state, stages } = await followUntil(cctp.provider, other, 'failed');
    expect(state).toMatchObject({ reason: 'the transaction burned nothing for this transfer' });
    expect(['CONFIRMATIONS', 'failed']).toEqual(expect.arrayContaining(stages));
    const unknown = { ...transfer, originTxHash: `0x${'ab'.repeat(32)}` };
    expect(await poll(cctp.provider, unknown)).toMatchObject({ waitingFor: 'CONFIRMATIONS' });
  });

  const messageOf = async (hash: Hex): Promise<Hex> => {
    const { logs } = await readerOf(cctp.here).getTransactionReceipt({ hash });
    const [sent] = parseEventLogs({ abi: messageSent, logs });
    return sent!.args.message;
  };

  describe('have contracts that refuse', () => {
    const receive = parseAbi(['function receiveMessage(bytes message, bytes attestation) returns (bool)']);
    const attestedBurn = async (): Promise<{ message: Hex; attestation: Hex }> => {
      const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
      const url = `/v2/messages/0?transactionHash=${transfer.originTxHash ?? ''}`;
      return cctp.fetchMessage(url);
    };
    const received = (message: Hex, attestation: Hex, chain = cctp.there) =>
      readerOf(chain).simulateContract({
        address: chain.cctp!.messageTransmitter,
        abi: receive,
        functionName: 'receiveMessage',
        args: [message, attestation],
        account: helper.address,
      });
    const spliced = (bytes: Hex, at: number, by: string): Hex =>
      `0x${bytes.slice(2, 2 + at * 2)}${by}${bytes.slice(2 + at * 2 + by.length)}`;

    it('messages without the signatures of both attesters, in order, for the chain', async () => {
      const { message, attestation } = await attestedBurn();
      const [first, second] = [attestation.slice(2, 132), attestation.slice(132)];
      await expect(received(message, attestation)).resolves.toMatchObject({ result: true });
      await expect(received(message, `0x${first}`)).rejects.toThrow('Invalid attestation length');
      await expect(received(message, `0x${second}${first}`)).rejects.toThrow('Invalid signature order or dupe');
      await expect(received(message, `0x${first}${first}`)).rejects.toThrow('Invalid signature order or dupe');
      await expect(received(spliced(message, 240, 'ff'), attestation)).rejects.toThrow(/Invalid signature/);
      await expect(received(message, attestation, cctp.here)).rejects.toThrow('Invalid destination domain');
    });

    it('an expired attestation', async () => {
      const { transfer } = await followUntil(cctp.provider, await sentTransfer(), 'COMPLETION');
      await cctp.steer('expire', { transactionHash: transfer.originTxHash });
      const { message, attestation } = await cctp.fetchMessage(
        `/v2/messages/0?transactionHash=${transfer.originTxHash ?? ''}`,
      );
      await expect(received(message, attestation)).rejects.toThrow('Message expired and must be re-signed');
    });
  });

  it('burn only amounts above the fee', async () => {
    const burn = parseAbi([
      'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
    ]);
    const { tokenMessenger, usdc } = cctp.here.cctp!;
    const word: Hex = `0x${'00'.repeat(31)}01`;
    const zero: Hex = `0x${'00'.repeat(32)}`;
    const burned = (amount: bigint, domain: number, maxFee: bigint) =>
      readerOf(cctp.here).simulateContract({
        address: tokenMessenger,
        abi: burn,
        functionName: 'depositForBurn',
        account: account.address,
        args: [amount, domain, word, usdc, zero, maxFee, 1000],
      });
    await expect(burned(5n, 7, 5n)).rejects.toThrow('Max fee must be less than amount');
    await expect(burned(0n, 7, 0n)).rejects.toThrow('Amount must be nonzero');
    await expect(burned(5n, 3, 0n)).rejects.toThrow('No TokenMessenger for domain');
  });
});
