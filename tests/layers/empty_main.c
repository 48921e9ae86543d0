/* Linked with the whole of one layer, to show that it needs nothing above. */
int main(void)
{
	return 0;
}
