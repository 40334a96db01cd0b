"""Commands of the CRM kind: `worksmith org` and `worksmith serve crm`."""
