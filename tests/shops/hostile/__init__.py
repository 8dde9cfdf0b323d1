"""A shop that means harm: fifty ordinary products, and beside them one address for each way to hurt a crawler."""
