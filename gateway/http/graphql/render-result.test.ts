import { createResultRenderer } from './render-result';

const render = createResultRenderer();
const schema = Object.freeze({ types: [{ name: 'Query' }] });

it.each([
  { data: { __schema: schema } },
  { data: { __schema: schema }, extensions: { cost: 1 } },
  { data: { __schema: schema }, errors: [] },
  { data: { __schema: schema, __typename: 'Query' } },
  { data: { __schema: null } },
  { data: { wallet: schema } },
  { data: null, errors: [] },
  { errors: [] },
])('renders what JSON.stringify renders: %j', (result) => {
  const rendered = [render(result), render(result)];
  expect(rendered.map((text): unknown => JSON.parse(text))).toEqual([result, result]);
});

it('renders the whole schema once', () => {
  const toJSON = jest.fn(() => ({ types: [] }));
  const result = { data: { __schema: Object.freeze({ toJSON }) } };
  expect(render(result)).toBe('{"data":{"__schema":{"types":[]}}}\n');
  expect(render(result)).toBe('{"data":{"__schema":{"types":[]}}}\n');
  expect(toJSON).toHaveBeenCalledTimes(1);
});

it('renders a schema that may change each time', () => {
  const changing = { types: ['one'] };
  expect(render({ data: { __schema: changing } })).toContain('one');
  changing.types = ['two'];
  expect(render({ data: { __schema: changing } })).toContain('two');
});
