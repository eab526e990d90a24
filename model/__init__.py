"""What a cluster, a placement and a rule are; never imports ortools, yaml or a client."""
