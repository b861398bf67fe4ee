import { rest, runningService } from '../setup/running-service';
import { untilRead } from '../resilience/until';
import { tokenOf } from '../rest/error-codes-cases';

const service = runningService();
const query = async (document: string) => (await rest('/graphql', { body: { query: document } })).body;

it('the running service confirms the prices of tokens by several sources', async () => {
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => tokenOf(service, 'devnet', symbol));
  const document = `{
    weth: token(chain: "devnet", address: "${weth}") { price { usd source kind isConfirmed } missingPriceReason }
    usdc: token(chain: "devnet", address: "${usdc}") { price { usd kind flags isConfirmed } }
    real: token(chain: "fiat", address: "BRL") { price { usd isConfirmed } }
    tokens(chain: "devnet-l2") { data { symbol price { usd } } pagination { total } }
  }`;
  // A source may respond too late for one request: the next one requests it again.
  const { data, errors } = await untilRead('every source has responded', async () => {
    const response = await query(document);
    const { weth, usdc: dollar, real } = response.data ?? {};
    const areConfirmed = [weth, dollar].every((token) => token?.price?.isConfirmed === true);
    return areConfirmed && real?.price ? response : undefined;
  });
  expect(errors).toBeUndefined();
  expect(data.weth.missingPriceReason).toBeNull();
  expect(Math.abs(Number.parseFloat(data.weth.price.usd) - 3000)).toBeLessThan(30);
  expect(data.usdc.price).toMatchObject({ usd: '1', flags: [] });
  expect(Math.abs(Number.parseFloat(data.real.price.usd) - 1 / 5.4)).toBeLessThan(0.005);
  expect(data.tokens.data).toHaveLength(data.tokens.pagination.total);
});

it('the running service refuses an invalid range of a price history with its code', async () => {
  const history = `priceHistory(range: { from: "2020-01-01T00:00:00Z" }) { usd }`;
  const { errors } = await query(
    `{ token(chain: "devnet", address: "${tokenOf(service, 'devnet', 'WETH')}") { ${history} } }`,
  );
  expect(errors[0].extensions.code).toBe('INVALID_PRICE_RANGE');
});
