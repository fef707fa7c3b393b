/** A tool and a schema that work as they are, for those who want to see one before they paste their own. */

export const toolExample = JSON.stringify(
  {
    name: 'get_weather',
    description: 'Tells the weather in a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city'],
    },
  },
  null,
  2,
);

export const schemaExample = JSON.stringify(
  {
    type: 'object',
    properties: { answer: { type: 'string' }, confidence: { type: 'number', minimum: 0, maximum: 1 } },
    required: ['answer', 'confidence'],
    additionalProperties: false,
  },
  null,
  2,
);
