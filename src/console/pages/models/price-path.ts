/** The address at which the form for a model's own price is open and filled in with whom it is for. */

export const setPricePath = (provider: string, model: string): string => {
  const name = `${provider}/${model}`;
  return `/console/models?${new URLSearchParams({ model: name, view: 'prices', price: name })}`;
};
