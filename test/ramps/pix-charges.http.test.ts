import { approvedPerson } from '../kyc/kyc-people';
import { newBrCode } from './new-br-code';
import { codeOf, waitForEnd, requestBytecode, newWallet, requestQuote, token, expectSuccess } from './ramp-desk';

const FIVE_DOLLARS = 5_000_000n;
const USDC_TO_REAIS = { originChain: 'devnet', destinationChain: 'fiat', tokenIn: token('USDC'), tokenOut: 'BRL' };
const charge = (cents: bigint): string => newBrCode({ pixKey: 'loja@example.com', cents });

describe('a BR Code of a fixed amount', () => {
  it('is paid to the cent, with the required input', async () => {
    const wallet = await newWallet({ USDC: FIVE_DOLLARS });
    await approvedPerson({ walletAddress: wallet.address });
    const parties = { originAddress: wallet.address, pixKey: charge(1234n) };
    const { quote, id, transactions } = await expectSuccess(
      requestQuote({ ...USDC_TO_REAIS, amountIn: FIVE_DOLLARS.toString(), ...parties }),
    );
    expect(quote).toMatchObject({ expectedAmountOut: '1234', minAmountOut: '1234' });
    const amountIn = BigInt(quote.tokenIn.amount);
    expect(amountIn).toBeLessThan(FIVE_DOLLARS);
    await wallet.send(transactions);
    expect(await waitForEnd(id)).toMatchObject({ status: 'SUCCESS', amounts: { assetOut: { amountRaw: '1234' } } });
    expect(await wallet.balanceOf('USDC')).toBe(FIVE_DOLLARS - amountIn);
  });

  it('is refused with the required input when the amount is too low', async () => {
    const response = requestQuote({ ...USDC_TO_REAIS, amountIn: '1500000', pixKey: charge(1234n) });
    expect(await codeOf(response)).toEqual([400, 'AMOUNT_IN_TOO_LOW']);
  });

  it('needs a new quote when the quote has another amount', async () => {
    const wallet = await newWallet();
    await approvedPerson({ walletAddress: wallet.address });
    const { quote } = await expectSuccess(requestQuote({ ...USDC_TO_REAIS, amountIn: FIVE_DOLLARS.toString() }));
    const body = { quoteId: quote.quoteId, originAddress: wallet.address, pixKey: charge(1234n) };
    expect(await codeOf(requestBytecode(body))).toEqual([400, 'PIX_BRCODE_REQUOTE_REQUIRED']);
  });
});
