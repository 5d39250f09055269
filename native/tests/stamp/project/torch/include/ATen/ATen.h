// Makes the folder one of torch's headers.
